//! Which thread a spawn of `codex` means.

use std::path::{Path, PathBuf};

use super::{Around, Resolved, is_uuid};
use crate::persona::Answer;
use crate::persona::codex::arguments::{Request, RunKind, Session as Named, table};
use crate::sessions::Session;

/// The working directory of a spawn of `codex`: that of `--cd`, else its own.
#[must_use]
pub fn codex_cwd(request: &Request, cwd: &Path) -> PathBuf {
    request.cd.as_ref().map_or_else(|| cwd.to_owned(), |cd| cwd.join(cd))
}

/// The thread that a spawn of `codex` means; `around.cwd` is that of [`codex_cwd`].
///
/// # Errors
///
/// What the real CLI says of a thread that is not there, or was not kept, in `exec` and where
/// sessions are strict (03-resume-unknown, 03-fork-unknown; versions without a text for it start a
/// new thread). Names and `--last` that lead to nothing start a new thread without a word
/// (03-resume-notuuid, 03-resume-last-empty).
pub fn codex(request: &Request, around: &Around) -> Result<Resolved, Answer> {
    let strict = around.strict && !request.interactive;
    let mut resolved = match &request.kind {
        RunKind::Resume(named) => earlier(named, "thread/resume", strict, around)?,
        RunKind::Fork(named) => {
            let earlier = earlier(named, "thread/fork", strict, around)?;
            if earlier.resumes { earlier.forked(None) } else { earlier }
        }
        _ => Resolved::fresh(None),
    };
    resolved.ephemeral = request.ephemeral;
    Ok(resolved)
}

/// The thread that is taken up, as the one that goes on; a new one where the real CLI makes one.
fn earlier(named: &Named, method: &str, strict: bool, around: &Around) -> Result<Resolved, Answer> {
    let resumed = |known: Session| Resolved::resumed(known.id.clone(), Some(known));
    let Some(name) = &named.id else {
        let cwd = (!named.all).then_some(around.cwd);
        let latest = named.last.then(|| around.sessions.latest("codex", cwd)).flatten();
        return Ok(latest.map_or_else(|| Resolved::fresh(None), resumed));
    };
    // A UUID is read as one, so its letters' case is lost; a name is not.
    let id = if is_uuid(name) { name.to_ascii_lowercase() } else { name.clone() };
    let known = around.sessions.find("codex", &id).filter(|session| !session.ephemeral);
    match known {
        Some(known) => Ok(resumed(known)),
        None if !strict => Ok(Resolved::resumed(name.clone(), None)),
        None if !is_uuid(&id) => Ok(Resolved::fresh(None)),
        None => match table(around.version).lost() {
            None => Ok(Resolved::fresh(None)),
            Some(text) => {
                let text = text.replace("{method}", method).replace("{id}", &id);
                Err(Answer { stderr: format!("{text}\n"), code: 1, ..Answer::default() })
            }
        },
    }
}
