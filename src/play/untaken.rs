//! Messages of a live session that nothing in its recording has taken when the client goes: they
//! were waited for elsewhere, or not at all, and the client got no answer to them.

use super::player::Player;
use super::stop::Stop;
use crate::error::Error;
use crate::journal::ProblemKind;
use crate::persona::releases_a_turn;

/// How much of a message is shown.
const SHOWN: usize = 100;

impl Player {
    /// The end of a session whose client goes while a step waits for something else: as the real
    /// program makes it, unless a message is left that no step and no turn has taken, and that
    /// nothing was written after. A recording that goes on without its message has passed it by.
    pub(super) fn gone_while_waiting(&self, waited_for: &str, line: u64) -> Stop {
        if self.plan.session
            && let Some(message) = self.inbox.untaken()
        {
            return self.unexpected(message, waited_for, line);
        }
        Stop::Natural
    }

    fn unexpected(&self, message: &[u8], waited_for: &str, line: u64) -> Stop {
        Stop::Refused(Error::Play {
            kind: ProblemKind::UnexpectedInput,
            what: format!(
                "{}: line {line}: nothing took a message that came, and then stdin ended: {}; the \
                 recording waited for {waited_for} there; add an `in` step for the message, such \
                 as {{\"in\": {{\"type\": \"user\"}}}}, remove an `in` step that waits for what \
                 this client does not send, or take a raw recording, whose turns any message \
                 releases",
                self.plan.recording.display(),
                shown(message),
            ),
        })
    }
}

/// The beginning of a message.
fn shown(message: &[u8]) -> String {
    let text = String::from_utf8_lossy(message);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into_owned(),
    }
}

/// The first message among frames that have come.
pub(super) fn first_message(frames: &[Vec<u8>]) -> Option<&[u8]> {
    frames.iter().map(Vec::as_slice).find(|line| releases_a_turn(line))
}
