//! Raw recordings: the bytes of a file, to the last one, as fast as `cat`.

use std::fs::File;
use std::io::Read as _;

use super::player::Player;
use super::stop::{Play, Stop};
use crate::error::Error;
use crate::recording::Output;

/// What is read and written at once.
const CHUNK: usize = 128 << 10;

impl Player {
    /// Plays a raw recording: what was read of it already, then the rest, if there is more.
    pub fn raw(&mut self, start: &[u8], rest: Option<File>) -> Play<()> {
        self.emit(Output::Stdout, start)?;
        let Some(mut rest) = rest else { return self.after_the_last_step(0) };
        let mut buffer = vec![0; CHUNK];
        loop {
            match rest.read(&mut buffer) {
                Ok(0) => return self.after_the_last_step(0),
                Ok(count) => self.emit(Output::Stdout, &buffer[..count])?,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    return Err(Error::io("cannot read", &self.plan.recording, error).into());
                }
            }
            if !self.spawn.stdout.is_open() && self.watch.decides_nothing() {
                return Err(Stop::Natural);
            }
        }
    }
}
