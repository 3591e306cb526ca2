//! What a program says in the course of one spawn, without descriptors: turns, recorded lines and
//! the client's frames go in, what is to be written comes out. The player owns the streams, does
//! the waiting, and asks here what the program would say.

use std::borrow::Cow;
use std::fmt::Debug;

use super::Piece;
use crate::journal::Exit;
use crate::recording::Signal;
use crate::recording::turn::Turn;

/// The voice of one spawn.
///
/// The first half serves turns and `render`, in any mode; the second half serves live sessions
/// (`claude` with stream-json input, `codex app-server`) and is never called for other spawns.
pub(crate) trait Performer: Debug {
    /// What is written before the first turn.
    fn start(&mut self) -> Vec<Piece>;

    /// Renders a turn, up to its end or its first wait. In a live session `user` is the client's
    /// line that released it, without its newline; in other modes there is none.
    fn turn(&mut self, turn: &Turn, user: Option<&[u8]>) -> Vec<Piece>;

    /// Goes on after [`Piece::Ask`]. `reply` is the client's line; `None`: stdin ended before.
    fn answered(&mut self, reply: Option<&[u8]>) -> Vec<Piece>;

    /// Goes on after [`Piece::AwaitInterrupt`], or after an interrupt while a question is open.
    fn interrupted(&mut self) -> Vec<Piece>;

    /// The last events that a signal still brings out while a turn is being rendered, and the
    /// end; `None`: nothing of that kind, the program ends as it always does.
    fn signalled(&mut self, signal: Signal) -> Option<(Vec<Piece>, Exit)>;

    /// What is written at the end of the run.
    fn end(&mut self) -> Vec<Piece>;

    /// The exit code after everything so far.
    fn exit_code(&self) -> u8;

    /// One line of a recorded stream, newline included, as the spawn's output format shows it.
    fn recorded(&mut self, line: &[u8]) -> Vec<Piece>;

    /// The last message, for the file that `codex -o` names; `None`: the file stays as it is.
    fn last_message(&self) -> Option<String> {
        None
    }

    /// What must be known for the next spawn that takes this session up.
    fn session(&self) -> Option<SessionMark> {
        None
    }

    /// From now on keeps the events that its output format does not show, for
    /// [`Performer::take_untold`]; false: the format shows them all.
    fn keep_untold(&mut self) -> bool {
        false
    }

    /// The events since the last call that the output format did not show, as lines.
    fn take_untold(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Learns a raw recording of a live session, all of its lines without their newlines, and says
    /// of each what it waits for. Called once, before the lines are played; until the claim it is
    /// called for the recording that would be next, and again if another one is claimed.
    fn learn(&mut self, lines: &[&[u8]]) -> Vec<Cue> {
        vec![Cue::Turn; lines.len()]
    }

    /// A recorded line as it goes out in this session: ids that the client made up or named (its
    /// request ids, hook callback ids, session or thread ids) are this run's, as text; everything
    /// else stays to the byte.
    fn translated<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        Cow::Borrowed(line)
    }

    /// A client's line as the recording would have had it: the other direction of `translated`,
    /// for comparison with `in` patterns.
    fn untranslated<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        Cow::Borrowed(line)
    }

    /// Takes note of a client's line, without its newline, that a step of the recording takes (and
    /// answers, if it does). [`Performer::frame`] is not asked about such a line, but has to know
    /// of it: a program that was greeted by it has been greeted.
    fn overheard(&mut self, line: &[u8]) {
        let _ = line;
    }

    /// Whether everything that the client sends is answered in the order in which it came, the
    /// message that starts a turn among it; else a turn is no answer, and other answers pass it by.
    fn answers_in_order(&self) -> bool {
        false
    }

    /// Takes a line of the client, without its newline, that no step of the recording asks for.
    /// `busy`: a turn is being played.
    fn frame(&mut self, line: &[u8], busy: bool) -> Frame {
        let _ = (line, busy);
        Frame::Ignored
    }

    /// Tells whether an interrupt right behind a message is for the turn that the message begins.
    fn interrupts_what_is_due(&self) -> bool {
        false
    }

    /// The answer to the interrupt that the client asked for, and what goes with it; written
    /// before what [`Performer::interrupted`] says, or before the recorded lines that follow it.
    fn interrupt_answer(&mut self, request: &[u8]) -> Vec<Piece> {
        let _ = request;
        Vec::new()
    }

    /// What goes out when the client interrupts a recorded turn while `question`, a recorded line, is
    /// open, and the recording does not go on with that: the answer, and the end of the turn, of
    /// which nothing more is played.
    fn interrupted_in_question(&mut self, request: &[u8], question: &[u8]) -> Vec<Piece> {
        let _ = question;
        [self.interrupt_answer(request), self.interrupted()].concat()
    }

    /// What a user message gets when no turn is left, for a client that would otherwise wait for
    /// ever; the message on stderr and the exit are the player's.
    fn refuse_user(&mut self, line: &[u8]) -> Vec<Piece> {
        let _ = line;
        Vec::new()
    }
}

/// What a line of a raw recording of a live session waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cue {
    /// It comes before the first user message and is played when it is reached.
    Opening,
    /// It belongs to a turn: the first such line of a turn waits for a user message that no
    /// earlier line has taken, the others follow.
    Turn,
    /// As [`Cue::Turn`], and the turn is over after it.
    TurnEnd,
    /// It follows the end of a turn, or stands in a turn that nobody asked for (a background task
    /// that has finished): it waits for nothing.
    Free,
    /// It shows a further user message that was taken into the running turn: it waits for that.
    TakesUser,
    /// A question to the client, with this id: what follows waits for the answer, or for the end
    /// of stdin. `opening`: it comes before the first user message.
    Ask {
        /// The request id, as JSON source text (`"abc"` or `7`).
        id: String,
        /// Whether it comes before the first user message.
        opening: bool,
    },
    /// The recorded answer to an interrupt: it, and all after it, waits for the client's interrupt.
    Interrupted,
    /// A recorded answer to some other request of the client: passed over when it is reached,
    /// since [`Performer::frame`] uses it when it is asked for.
    Answer,
}

/// What came of a client's line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Frame {
    /// A message that releases a turn.
    User,
    /// A request that is answered at once, with everything that goes out on it.
    Answered(Vec<Piece>),
    /// A request to interrupt the running turn.
    Interrupt,
    /// An answer to a question with this id (as JSON source text), whoever asked it.
    Reply {
        /// The id.
        id: String,
    },
    /// A line that the program takes without a word.
    Ignored,
    /// A line that ends the program at once, with these last words.
    Fatal {
        /// What goes out before the end.
        pieces: Vec<Piece>,
        /// The exit code.
        code: u8,
    },
}

/// A session, for the next spawn that takes it up.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SessionMark {
    /// The session's or thread's id.
    pub id: String,
    /// What adds up over the session (costs, tokens), in the persona's own shape.
    pub carried: serde_json::Value,
}
