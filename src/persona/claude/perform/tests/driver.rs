//! A player reduced to the rules of the cues: no descriptors, no clock, the client's lines one by
//! one.

use super::ClaudeVoice;
use crate::persona::Piece;
use crate::persona::performer::{Cue, Frame, Performer as _};

/// A recorded session while it is played.
pub(super) struct Player {
    pub voice: ClaudeVoice,
    lines: Vec<Vec<u8>>,
    cues: Vec<Cue>,
    at: usize,
    /// Messages that no turn has taken.
    users: usize,
    /// A turn is being played.
    in_turn: bool,
    /// The question that is open.
    open: Option<String>,
    replies: Vec<String>,
    interrupts: Vec<Vec<u8>>,
    eof: bool,
    /// What went to stdout.
    pub out: Vec<u8>,
    /// What went to stderr.
    pub err: Vec<u8>,
    /// The exit code, where the client's line ended the program.
    pub ended: Option<u8>,
}

impl Player {
    pub fn new(mut voice: ClaudeVoice, lines: &[Vec<u8>]) -> Player {
        let borrowed: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        let cues = voice.learn(&borrowed);
        assert_eq!(cues.len(), lines.len());
        Player {
            voice,
            lines: lines.to_vec(),
            cues,
            at: 0,
            users: 0,
            in_turn: false,
            open: None,
            replies: Vec::new(),
            interrupts: Vec::new(),
            eof: false,
            out: Vec::new(),
            err: Vec::new(),
            ended: None,
        }
    }

    /// Takes a line of the client.
    pub fn hear(&mut self, line: &[u8]) {
        if self.ended.is_some() {
            return;
        }
        match self.voice.frame(line, self.in_turn) {
            Frame::User => self.users += 1,
            Frame::Answered(pieces) => self.write(pieces),
            Frame::Interrupt => self.interrupts.push(line.to_vec()),
            Frame::Reply { id } => self.replies.push(id),
            Frame::Ignored => {}
            Frame::Fatal { pieces, code } => {
                self.write(pieces);
                self.ended = Some(code);
            }
        }
    }

    /// The client has closed stdin.
    pub fn end_of_stdin(&mut self) {
        self.eof = true;
        self.play();
    }

    /// Plays as far as nothing is waited for.
    pub fn play(&mut self) {
        while self.ended.is_none() && self.at < self.lines.len() && self.may_go_on() {
            let line = [self.lines[self.at].as_slice(), b"\n"].concat();
            match self.cues[self.at].clone() {
                Cue::Answer => {}
                Cue::Interrupted => {
                    if let Some(request) = self.interrupts.pop() {
                        let pieces = self.voice.interrupt_answer(&request);
                        self.write(pieces);
                    }
                }
                cue => {
                    self.out.extend_from_slice(&self.voice.translated(&line));
                    if let Cue::Ask { id, .. } = &cue {
                        self.open = Some(id.clone());
                    }
                    if cue == Cue::TurnEnd {
                        self.in_turn = false;
                    }
                }
            }
            self.at += 1;
        }
        if let Some(request) = self.interrupts.pop_if(|_| self.at == self.lines.len()) {
            let pieces = self.voice.interrupt_answer(&request);
            self.write(pieces);
        }
    }

    /// How many lines were not played.
    pub fn left(&self) -> usize {
        self.lines.len() - self.at
    }

    fn may_go_on(&mut self) -> bool {
        let cue = &self.cues[self.at];
        if let Some(open) = &self.open {
            let interrupted = *cue == Cue::Interrupted && !self.interrupts.is_empty();
            if !self.eof && !interrupted && !self.replies.contains(open) {
                return false;
            }
            self.open = None;
        }
        match cue {
            Cue::Opening | Cue::Free | Cue::Answer | Cue::Ask { opening: true, .. } => true,
            Cue::Interrupted => self.eof || !self.interrupts.is_empty(),
            Cue::TakesUser => self.takes_user() || self.eof,
            Cue::Turn | Cue::TurnEnd | Cue::Ask { .. } => {
                if !self.in_turn {
                    self.in_turn = self.takes_user();
                }
                self.in_turn
            }
        }
    }

    fn takes_user(&mut self) -> bool {
        let there = self.users > 0;
        self.users -= usize::from(there);
        there
    }

    fn write(&mut self, pieces: Vec<Piece>) {
        for piece in pieces {
            match piece {
                Piece::Out(bytes) => self.out.extend(bytes),
                Piece::Err(bytes) => self.err.extend(bytes),
                other => panic!("unexpected {other:?}"),
            }
        }
    }
}
