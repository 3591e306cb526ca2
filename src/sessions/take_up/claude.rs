//! Which session a spawn of `claude` means.

use std::path::Path;

use super::{Around, Resolved, is_uuid};
use crate::persona::Answer;
use crate::persona::claude::arguments::{Format, Request, Texts, table};
use crate::persona::claude::render::mint_session_id;
use crate::sessions::Session;

/// The session that a spawn of `claude` means.
///
/// # Errors
///
/// What the real CLI says of a session that is not there, or of an id that is taken, in print mode
/// and where sessions are strict (s05_b_session_id_reuse, s06_resume_unknown, s06_resume_notuuid,
/// s06_resume_novalue, s05_m_resume_uppercase; in 2.1.197 also s05_i_resume_othercwd).
pub fn claude(request: &Request, around: &Around) -> Result<Resolved, Answer> {
    let asked = Asked { request, around, texts: table(around.version).texts() };
    let mut resolved = asked.resolve()?;
    resolved.title = request.name.clone().or(resolved.title);
    resolved.ephemeral = request.no_session_persistence;
    Ok(resolved)
}

struct Asked<'a> {
    request: &'a Request,
    around: &'a Around<'a>,
    texts: Texts,
}

impl Asked<'_> {
    fn resolve(&self) -> Result<Resolved, Answer> {
        let own = self.request.session_id.clone();
        if let Some(id) = own.as_deref().filter(|id| self.strict() && self.is_taken(id)) {
            return Err(self.refusal("session-in-use", &[("id", id)]));
        }
        let earlier = match &self.request.resume {
            Some(Some(named)) => Some(self.named(named)?),
            // The arguments' own check refuses this in the other formats.
            Some(None) if self.strict() => return Err(self.failed("resume-value", &[], None)),
            // Nothing to continue is no error: a new session, without a word.
            _ if self.request.continues => {
                let latest = self.around.sessions.latest("claude", Some(self.around.cwd));
                latest.map(|known| Resolved::resumed(known.id.clone(), Some(known)))
            }
            _ => None,
        };
        Ok(match earlier {
            // The flag alone means nothing (s05_h_fork_alone).
            None => Resolved::fresh(own),
            Some(earlier) if self.request.fork_session => earlier.forked(own),
            Some(earlier) => earlier,
        })
    }

    /// The session that `--resume` names: by its id, by its file, else by its title.
    fn named(&self, named: &str) -> Result<Resolved, Answer> {
        let file = named.strip_suffix(".jsonl").map(Path::new).and_then(Path::file_name);
        let id = file.and_then(|stem| stem.to_str()).unwrap_or(named);
        let known = self.kept(id);
        if known.is_none() && !is_uuid(id) {
            if let Some(titled) = self.around.sessions.titled("claude", named) {
                return Ok(Resolved::resumed(titled.id.clone(), Some(titled)));
            }
            if self.strict() && file.is_none() {
                return Err(self.failed("resume-title", &[("value", named)], None));
            }
        }
        if self.strict() {
            match &known {
                None => return Err(self.failed("resume-unknown", &[("id", id)], Some(id))),
                // Only versions that look no further have this text.
                Some(known) if !self.is_here(known) => {
                    if self.texts.get("resume-elsewhere").is_some() {
                        return Err(self.failed("resume-elsewhere", &[("id", id)], Some(id)));
                    }
                }
                Some(_) => {}
            }
        }
        Ok(Resolved::resumed(id.to_owned(), known))
    }

    fn strict(&self) -> bool {
        self.around.strict && self.request.print
    }

    fn kept(&self, id: &str) -> Option<Session> {
        self.around.sessions.find("claude", id).filter(|session| !session.ephemeral)
    }

    fn is_here(&self, session: &Session) -> bool {
        session.cwd == self.around.cwd.to_string_lossy()
    }

    /// Whether a session of this id is in the way of a new one: where sessions are found from
    /// everywhere, one of any directory is.
    fn is_taken(&self, id: &str) -> bool {
        let only_here = self.texts.get("resume-elsewhere").is_some();
        self.kept(id).is_some_and(|known| !only_here || self.is_here(&known))
    }

    /// A refusal on stderr.
    fn refusal(&self, text: &str, values: &[(&str, &str)]) -> Answer {
        let stderr = self.texts.filled(text, values).unwrap_or_default();
        Answer { stderr, code: 1, ..Answer::default() }
    }

    /// A refusal that comes late enough to be an event too, where events are the output: one
    /// `result`, with an order of keys of its own, and no `init` before it.
    fn failed(&self, text: &str, values: &[(&str, &str)], session: Option<&str>) -> Answer {
        let mut answer = self.refusal(text, values);
        if self.request.output != Format::StreamJson {
            return answer;
        }
        let (seed, spawn) = (self.around.seed, self.around.spawn);
        let minted = || mint_session_id(seed, spawn);
        // What was asked for, if it has the form of an id; else the session that would have been.
        let session = session.map(str::to_owned).or_else(|| self.request.session_id.clone());
        let session = inside_string(&session.unwrap_or_else(minted));
        let uuid = mint_session_id(&format!("{seed} failure"), spawn);
        let message = inside_string(answer.stderr.trim_end_matches('\n'));
        let values = [("session", &*session), ("uuid", &uuid), ("message", &message)];
        answer.stdout = self.texts.filled("early-result", &values).unwrap_or_default();
        answer
    }
}

/// A text as it stands between the quotes of a JSON string.
fn inside_string(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
}
