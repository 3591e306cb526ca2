//! Which thread a spawn is about: its own new one, or one that it takes up.

use super::Circumstances;
use crate::persona::codex::arguments::{Request, RunKind, Session};
use crate::persona::codex::render::mint_thread_id;
use crate::persona::performer::SessionMark;

/// The earlier threads that a spawn may take up, by its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TakesUp {
    /// None.
    Nothing,
    /// The one with this id or name.
    Named(String),
    /// The newest one.
    Newest {
        /// Of any working directory, not just of the spawn's own.
        anywhere: bool,
    },
    /// Any: the client of an `app-server` names it later.
    Any,
}

/// The earlier threads that a spawn may take up: those that its [`Circumstances::threads`] must
/// hold, as far as they are known.
pub(crate) fn takes_up(request: &Request) -> TakesUp {
    match &request.kind {
        RunKind::Resume(session) | RunKind::Fork(session) => match &session.id {
            Some(id) => TakesUp::Named(id.clone()),
            None => TakesUp::Newest { anywhere: session.all },
        },
        RunKind::AppServer => TakesUp::Any,
        _ => TakesUp::Nothing,
    }
}

/// The thread id of a spawn: what turns announce, and what `bind` puts in.
///
/// A resumed thread keeps its id (`03-resume-id`); a name that is no id and that nothing is known
/// of, or `--last` where there is no thread, starts a new one (`03-resume-notuuid`,
/// `03-resume-last-empty`); a fork has a new id (`03-fork`).
pub(crate) fn thread_id(request: &Request, around: &Circumstances) -> String {
    let minted = || mint_thread_id(around.seed, around.number);
    match &request.kind {
        RunKind::Resume(session) => match (&session.id, taken_up(session, around)) {
            (_, Some(mark)) => mark.id.clone(),
            (Some(id), None) if is_uuid(id) => id.clone(),
            _ => minted(),
        },
        _ => minted(),
    }
}

/// What is known of the thread that a spawn resumes or forks.
pub(super) fn parent<'a>(request: &Request, around: &'a Circumstances) -> Option<&'a SessionMark> {
    match &request.kind {
        RunKind::Resume(session) | RunKind::Fork(session) => taken_up(session, around),
        _ => None,
    }
}

fn taken_up<'a>(session: &Session, around: &'a Circumstances) -> Option<&'a SessionMark> {
    match &session.id {
        Some(id) => around.threads.iter().rfind(|mark| mark.id == *id),
        None => around.threads.last(),
    }
}

/// Whether this is a UUID in its usual spelling, of any version.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::persona::codex::arguments::{Surroundings, Verdict, judge, table};

    const KNOWN: &str = "01a22c0f-2b18-7e43-89e0-2dfb9ad1d978";

    fn request(args: &[&str]) -> Request {
        match judge(&table(None), args, true, true, &Surroundings::default()) {
            Verdict::Run(request) => *request,
            verdict => panic!("{args:?} does not run: {verdict:?}"),
        }
    }

    fn around(threads: &[&str]) -> Circumstances {
        let mark = |id: &&str| SessionMark { id: (*id).to_owned(), ..SessionMark::default() };
        Circumstances {
            seed: 7,
            number: 3,
            threads: threads.iter().map(mark).collect(),
            ..Circumstances::default()
        }
    }

    #[track_caller]
    fn id(args: &[&str], threads: &[&str]) -> String {
        thread_id(&request(args), &around(threads))
    }

    #[test]
    fn a_resumed_thread_keeps_its_id_whether_or_not_it_is_known() {
        assert_eq!(id(&["exec", "resume", KNOWN, "x"], &[]), KNOWN);
        assert_eq!(id(&["exec", "resume", "my-thread", "x"], &["my-thread"]), "my-thread");
    }

    #[test]
    fn last_is_the_newest_thread_or_a_new_one() {
        let new = mint_thread_id(7, 3);
        assert_eq!(id(&["exec", "resume", "--last", "x"], &["a", "b"]), "b");
        assert_eq!(id(&["exec", "resume", "--last", "x"], &[]), new);
    }

    #[test]
    fn a_name_that_nothing_is_known_of_and_a_fork_start_a_new_thread() {
        let new = mint_thread_id(7, 3);
        assert_eq!(id(&["exec", "resume", "nonsense", "x"], &[KNOWN]), new);
        assert_eq!(id(&["exec", "fork", KNOWN, "x"], &[KNOWN]), new);
        assert_eq!(id(&["exec", "x"], &[KNOWN]), new);
        assert_eq!(id(&["app-server"], &[KNOWN]), new);
    }

    #[test]
    fn the_arguments_tell_which_threads_to_look_up() {
        let takes = |args: &[&str]| takes_up(&request(args));
        assert_eq!(takes(&["exec", "x"]), TakesUp::Nothing);
        assert_eq!(takes(&["exec", "fork", "t", "x"]), TakesUp::Named("t".to_owned()));
        let newest = |anywhere| TakesUp::Newest { anywhere };
        assert_eq!(takes(&["exec", "resume", "--last", "x"]), newest(false));
        assert_eq!(takes(&["exec", "resume", "--last", "--all", "x"]), newest(true));
        assert_eq!(takes(&["app-server"]), TakesUp::Any);
    }
}
