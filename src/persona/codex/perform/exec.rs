//! The voice of `codex exec` with its `resume`, `fork` and `review`, and of the interactive
//! commands: turns and recorded streams in the spawn's output format.

use super::around::{self, Circumstances};
use crate::journal::Exit;
use crate::persona::Piece;
use crate::persona::codex::arguments::Request;
use crate::persona::codex::render::Renderer;
use crate::persona::performer::{Performer, SessionMark};
use crate::recording::Signal;
use crate::recording::turn::Turn;

/// The voice of one run.
#[derive(Debug)]
pub(super) struct Exec {
    renderer: Renderer,
    thread_id: String,
    /// Whether the real run would have no turn: a fork without a prompt opens the thread and ends.
    mute: bool,
    /// Whether the thread is kept for a later resume.
    kept: bool,
    /// Whether anything was said.
    begun: bool,
}

impl Exec {
    /// A voice for a spawn.
    pub fn new(request: &Request, around: &Circumstances) -> Exec {
        let spawn = around::spawn(request, around);
        Exec {
            thread_id: spawn.thread_id.clone(),
            mute: spawn.prompt.is_none(),
            kept: !request.ephemeral,
            begun: false,
            renderer: Renderer::new(spawn),
        }
    }
}

impl Performer for Exec {
    fn start(&mut self) -> Vec<Piece> {
        self.begun = true;
        self.renderer.start()
    }

    fn turn(&mut self, turn: &Turn, _: Option<&[u8]>) -> Vec<Piece> {
        if self.mute { Vec::new() } else { self.renderer.turn(turn) }
    }

    /// Never called: `exec` cannot ask.
    fn answered(&mut self, _: Option<&[u8]>) -> Vec<Piece> {
        Vec::new()
    }

    fn interrupted(&mut self) -> Vec<Piece> {
        self.renderer.interrupted()
    }

    /// SIGINT ends a run by itself, with the transcript's last line and the final report
    /// (`04-sig-int-stream`); the other signals kill it.
    fn signalled(&mut self, signal: Signal) -> Option<(Vec<Piece>, Exit)> {
        if signal.name() != "INT" || !self.begun {
            return None;
        }
        let mut pieces = self.renderer.interrupted();
        pieces.extend(self.renderer.end());
        Some((pieces, Exit::Code(self.renderer.exit_code())))
    }

    fn end(&mut self) -> Vec<Piece> {
        self.renderer.end()
    }

    fn exit_code(&self) -> u8 {
        self.renderer.exit_code()
    }

    fn recorded(&mut self, line: &[u8]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        if !self.begun {
            self.begun = true;
            pieces = self.renderer.open();
        }
        pieces.extend(self.renderer.recorded(line));
        pieces
    }

    fn keep_untold(&mut self) -> bool {
        self.renderer.keep_untold()
    }

    fn take_untold(&mut self) -> Vec<u8> {
        self.renderer.take_untold()
    }

    fn last_message(&self) -> Option<String> {
        self.renderer.last_message().map(str::to_owned)
    }

    fn session(&self) -> Option<SessionMark> {
        let known = self.begun && self.kept;
        known.then(|| around::mark(&self.thread_id, self.renderer.usage()))
    }
}
