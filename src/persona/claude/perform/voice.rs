//! One spawn's voice: what the player asks, handed to the renderer, to the recording that was
//! learned, or to the stock answers.

use super::frame::{self, Heard};
use super::options::{self, Circumstances, LiveOptions};
use super::recorded::{self, Recorded, Registered};
use super::{carried, replace, stock};
use crate::journal::Exit;
use crate::persona::Piece;
use crate::persona::claude::arguments::Request;
use crate::persona::claude::render::{self, Layout, Outcome, Renderer, Spawn, UserLine};
use crate::persona::performer::{Cue, Frame, Performer, SessionMark};
use crate::recording::Signal;
use crate::recording::turn::Turn;
use std::borrow::Cow;
use std::cell::OnceCell;

/// The voice of a `claude` spawn.
#[derive(Debug)]
pub(crate) struct ClaudeVoice {
    pub(super) renderer: Renderer,
    pub(super) options: LiveOptions,
    pub(super) client: Client,
    pub(super) recorded: Recorded,
    session_id: String,
    /// The stock answers, read when first asked for: most spawns never are.
    stock: OnceCell<Layout>,
}

/// What the client has said so far.
#[derive(Debug, Default)]
pub(super) struct Client {
    /// Its messages: the `uuid` of each, where it has one.
    pub users: Vec<Option<String>>,
    /// The hooks it registered.
    pub hooks: Registered,
    /// The questions it answered, as JSON source text.
    pub answered: Vec<String>,
    /// How often it initialized.
    pub initialized: usize,
    /// The MCP servers that its last `mcp_set_servers` named.
    pub set_servers: Vec<String>,
}

impl ClaudeVoice {
    /// The voice of a spawn.
    pub fn new(spawn: Spawn, options: LiveOptions) -> ClaudeVoice {
        ClaudeVoice {
            session_id: spawn.session_id.clone(),
            client: Client::default(),
            renderer: Renderer::new(spawn),
            options,
            recorded: Recorded::default(),
            stock: OnceCell::new(),
        }
    }

    /// The voice of a spawn with these arguments.
    pub fn of(request: &Request, around: &Circumstances) -> ClaudeVoice {
        let (spawn, options) = options::of(request, around);
        ClaudeVoice::new(spawn, options)
    }

    pub(super) fn stock(&self) -> &Layout {
        self.stock.get_or_init(|| stock::of(&self.options.version))
    }

    /// Ids of the recording and this run's, for a line: the session's where the client named it,
    /// and those of the client's messages.
    fn pairs<'s>(&'s self, recorded: &'s Option<String>) -> Vec<(&'s str, &'s str)> {
        let session = recorded.as_deref().zip(self.options.named.as_deref());
        let uuids = self.recorded.uuids.iter().filter_map(|(uuid, user)| {
            Some((uuid.as_str(), self.client.users.get(*user)?.as_deref()?))
        });
        session.into_iter().chain(uuids).collect()
    }

    /// Recorded lines as they go out in this session.
    pub(super) fn out(&self, lines: &[Vec<u8>]) -> Vec<Piece> {
        lines.iter().map(|line| Piece::Out(self.translated(line).into_owned())).collect()
    }
}

impl Performer for ClaudeVoice {
    fn start(&mut self) -> Vec<Piece> {
        Vec::new()
    }

    fn turn(&mut self, turn: &Turn, user: Option<&[u8]>) -> Vec<Piece> {
        let line = user.and_then(|line| UserLine::parse(String::from_utf8_lossy(line).trim()));
        let line = line.or_else(|| self.options.prompt.as_deref().map(UserLine::prompt));
        self.renderer.turn(turn, line.as_ref())
    }

    fn answered(&mut self, reply: Option<&[u8]>) -> Vec<Piece> {
        let outcome = match reply {
            Some(line) => Outcome::parse(&String::from_utf8_lossy(line)),
            None => Outcome::Closed,
        };
        self.renderer.answered(&outcome)
    }

    fn interrupted(&mut self) -> Vec<Piece> {
        self.renderer.interrupted()
    }

    fn signalled(&mut self, signal: Signal) -> Option<(Vec<Piece>, Exit)> {
        let signal = match signal.name() {
            "INT" => render::Signal::Int,
            "TERM" => render::Signal::Term,
            "HUP" => render::Signal::Hup,
            _ => return None,
        };
        if !self.renderer.is_running() {
            return None;
        }
        let (pieces, code) = self.renderer.signalled(signal);
        Some((pieces, Exit::Code(code)))
    }

    fn end(&mut self) -> Vec<Piece> {
        self.renderer.end()
    }

    fn exit_code(&self) -> u8 {
        self.renderer.exit_code()
    }

    fn recorded(&mut self, line: &[u8]) -> Vec<Piece> {
        self.renderer.recorded(line)
    }

    fn session(&self) -> Option<SessionMark> {
        let carried = carried::write(&self.renderer.carried());
        self.options.persists.then(|| SessionMark { id: self.session_id.clone(), carried })
    }

    fn keep_untold(&mut self) -> bool {
        self.renderer.keep_untold()
    }

    fn take_untold(&mut self) -> Vec<u8> {
        self.renderer.take_untold()
    }

    fn learn(&mut self, lines: &[&[u8]]) -> Vec<Cue> {
        let (recorded, cues) = Recorded::learn(lines);
        self.recorded = recorded;
        cues
    }

    fn translated<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        let session = match (&self.options.named, &self.recorded.session) {
            (None, _) => None,
            (_, Some(session)) => Some(session.clone()),
            // Nothing was learned: the line speaks for itself.
            (_, None) => recorded::session_of(line),
        };
        let pairs = self.pairs(&session);
        match self.recorded.translated(line, &self.client.hooks) {
            Cow::Borrowed(line) => replace::all(line, &pairs),
            Cow::Owned(line) => Cow::Owned(replace::all(&line, &pairs).into_owned()),
        }
    }

    fn untranslated<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        let pairs = self.pairs(&self.recorded.session);
        let back: Vec<(&str, &str)> = pairs.into_iter().map(|(from, to)| (to, from)).collect();
        replace::all(line, &back)
    }

    fn frame(&mut self, line: &[u8], busy: bool) -> Frame {
        let text = String::from_utf8_lossy(line);
        match frame::hear(&text, self.stock()) {
            Heard::Nothing => Frame::Ignored,
            Heard::User { uuid } => {
                self.client.users.push(uuid);
                Frame::User
            }
            Heard::Reply { id } => {
                self.client.answered.push(id.clone());
                Frame::Reply { id }
            }
            Heard::Wrong(words) => {
                Frame::Fatal { pieces: vec![Piece::Err(words.into_bytes())], code: 1 }
            }
            Heard::Request(asked) if busy && asked.subtype == "interrupt" => Frame::Interrupt,
            Heard::Request(asked) if asked.subtype == "end_session" => {
                self.end_session(&asked, busy)
            }
            Heard::Request(asked) => Frame::Answered(self.request(&asked)),
        }
    }

    fn interrupted_in_question(&mut self, request: &[u8], question: &[u8]) -> Vec<Piece> {
        let session = self.options.named.as_deref().or(self.recorded.session.as_deref());
        self.renderer.take_over(session, question);
        [self.interrupt_answer(request), self.renderer.interrupted()].concat()
    }

    /// Clients write a message and then ask to stop what it began; both may come in one piece.
    fn interrupts_what_is_due(&self) -> bool {
        true
    }

    fn interrupt_answer(&mut self, request: &[u8]) -> Vec<Piece> {
        let text = String::from_utf8_lossy(request);
        match frame::hear(&text, self.stock()) {
            Heard::Request(asked) => self.interrupt(&asked),
            _ => Vec::new(),
        }
    }
}
