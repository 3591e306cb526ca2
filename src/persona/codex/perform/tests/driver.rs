//! A loop that imitates the player of live sessions: it does by the cues what the player does, with
//! lists in the place of streams, and stops where the player would wait.

use std::collections::VecDeque;

use crate::persona::Piece;
use crate::persona::performer::{Cue, Frame, Performer};
use crate::recording::turn::Turn;

/// A session that is being played.
#[derive(Debug)]
pub struct Session {
    pub voice: Box<dyn Performer>,
    lines: Vec<Vec<u8>>,
    pub cues: Vec<Cue>,
    at: usize,
    in_turn: bool,
    /// The question that is open.
    asked: Option<String>,
    users: VecDeque<Vec<u8>>,
    interrupts: VecDeque<Vec<u8>>,
    replies: Vec<String>,
    /// What has gone to stdout.
    pub out: Vec<u8>,
}

impl Session {
    /// A session that will play this raw recording.
    pub fn new(voice: Box<dyn Performer>, recording: &str) -> Session {
        let mut session = Session {
            voice,
            lines: Vec::new(),
            cues: Vec::new(),
            at: 0,
            in_turn: false,
            asked: None,
            users: VecDeque::new(),
            interrupts: VecDeque::new(),
            replies: Vec::new(),
            out: Vec::new(),
        };
        session.load(recording);
        session
    }

    fn load(&mut self, recording: &str) {
        self.lines = recording.split_inclusive('\n').map(|line| line.as_bytes().into()).collect();
        let bare: Vec<&[u8]> =
            self.lines.iter().map(|it| it.strip_suffix(b"\n").unwrap_or(it)).collect();
        self.cues = self.voice.learn(&bare);
        assert_eq!(self.cues.len(), self.lines.len());
        self.at = 0;
    }

    /// Another recording was claimed: its opening is passed over.
    pub fn claim(&mut self, recording: &str) {
        self.load(recording);
        let opens =
            |cue: &&Cue| matches!(cue, Cue::Opening | Cue::Answer | Cue::Ask { opening: true, .. });
        self.at = self.cues.iter().take_while(opens).count();
    }

    /// Takes a line of the client without playing on; gives what it came to.
    pub fn hear(&mut self, line: &str) -> Frame {
        let frame = self.voice.frame(line.trim_end().as_bytes(), self.in_turn);
        match frame.clone() {
            Frame::User => self.users.push_back(line.trim_end().into()),
            Frame::Interrupt => self.interrupts.push_back(line.trim_end().into()),
            Frame::Reply { id } => self.replies.push(id),
            Frame::Answered(pieces) => self.write(pieces),
            Frame::Ignored => {}
            Frame::Fatal { .. } => panic!("{line} is fatal"),
        }
        frame
    }

    /// Takes a line of the client and plays on as far as it goes.
    pub fn send(&mut self, line: &str) -> Frame {
        let frame = self.hear(line);
        self.play();
        frame
    }

    /// Plays as far as it goes.
    pub fn play(&mut self) {
        while self.at < self.cues.len() && self.cue() {
            self.at += 1;
        }
        if self.is_over() && !self.lines.is_empty() {
            self.in_turn = false;
        }
    }

    /// Whether the recording was played to its end.
    pub fn is_over(&self) -> bool {
        self.at == self.cues.len()
    }

    /// Plays the line that is due; whether it is done.
    fn cue(&mut self) -> bool {
        match self.cues[self.at].clone() {
            Cue::Answer => {}
            Cue::Opening | Cue::Free => self.say(),
            Cue::Turn => {
                if !self.begin_turn() {
                    return false;
                }
                self.say();
            }
            Cue::TurnEnd => {
                if !self.begin_turn() {
                    return false;
                }
                self.say();
                self.in_turn = false;
                self.late_interrupts();
            }
            Cue::TakesUser => {
                if self.users.pop_front().is_none() {
                    return false;
                }
                self.say();
            }
            Cue::Ask { id, opening } => return self.ask(&id, opening),
            Cue::Interrupted => {
                let Some(request) = self.interrupts.pop_front() else {
                    return false;
                };
                let pieces = self.voice.interrupt_answer(&request);
                self.write(pieces);
            }
        }
        true
    }

    fn begin_turn(&mut self) -> bool {
        self.in_turn = self.in_turn || self.users.pop_front().is_some();
        self.in_turn
    }

    fn ask(&mut self, id: &str, opening: bool) -> bool {
        if self.asked.is_none() {
            if !opening && !self.begin_turn() {
                return false;
            }
            self.say();
            self.asked = Some(id.to_owned());
        }
        let reply = self.replies.iter().position(|reply| reply == id);
        if let Some(reply) = reply {
            self.replies.remove(reply);
        }
        let done = reply.is_some() || !self.interrupts.is_empty();
        if done {
            self.asked = None;
        }
        done
    }

    fn late_interrupts(&mut self) {
        if !self.cues[self.at..].contains(&Cue::Interrupted) {
            for line in std::mem::take(&mut self.interrupts) {
                self.hear(std::str::from_utf8(&line).unwrap());
            }
        }
    }

    fn say(&mut self) {
        let line = self.voice.translated(&self.lines[self.at]).into_owned();
        self.out.extend(line);
    }

    /// Plays a turn, up to a question, an interrupt or its end; gives the last piece.
    pub fn turn(&mut self, turn: &str) -> Option<Piece> {
        let user = self.users.pop_front().expect("a message has come");
        let turn: Turn = serde_json::from_str(turn).unwrap();
        self.in_turn = true;
        let pieces = self.voice.turn(&turn, Some(&user));
        self.go_on(pieces)
    }

    /// The client's answer to the question that is open.
    pub fn reply(&mut self, line: &str) -> Option<Piece> {
        let pieces = self.voice.answered(Some(line.as_bytes()));
        self.go_on(pieces)
    }

    /// The client's interrupt, which has come.
    pub fn interrupt(&mut self) -> Option<Piece> {
        let request = self.interrupts.pop_front().expect("an interrupt has come");
        let mut pieces = self.voice.interrupt_answer(&request);
        pieces.extend(self.voice.interrupted());
        self.go_on(pieces)
    }

    fn go_on(&mut self, pieces: Vec<Piece>) -> Option<Piece> {
        let last = pieces.last().cloned();
        self.in_turn = matches!(last, Some(Piece::Ask { .. } | Piece::AwaitInterrupt));
        self.write(pieces);
        last
    }

    fn write(&mut self, pieces: Vec<Piece>) {
        for piece in pieces {
            match piece {
                Piece::Out(line) | Piece::Ask { line, .. } => self.out.extend(line),
                Piece::Err(_) | Piece::AwaitInterrupt => {}
            }
        }
    }

    /// What has gone to stdout since the last time.
    pub fn said(&mut self) -> String {
        String::from_utf8(std::mem::take(&mut self.out)).unwrap()
    }
}
