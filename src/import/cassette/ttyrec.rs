//! Recordings of `ttyrec`: frames of three numbers of 32 bits, least byte first (seconds,
//! microseconds, length), and so many bytes that went to the terminal.

use super::Reel;
use super::call::Call;
use crate::error::Error;
use crate::record::lines::Mark;
use crate::record::tape::Stream;

struct Frame<'a> {
    seconds: f64,
    bytes: &'a [u8],
}

/// The next frame, and what comes after it; `None`: there is no whole one.
fn frame(bytes: &[u8]) -> Option<(Frame<'_>, &[u8])> {
    let (head, rest) = bytes.split_first_chunk::<12>()?;
    let number = |at: usize| {
        let bytes = head.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(bytes))
    };
    let (seconds, micros, length) = (number(0)?, number(4)?, number(8)?);
    let (bytes, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    let seconds = f64::from(seconds) + f64::from(micros) / 1e6;
    (micros < 1_000_000).then_some((Frame { seconds, bytes }, rest))
}

/// Whether this begins with a frame. In no text is a microsecond below a million.
pub(super) fn is_one(bytes: &[u8]) -> bool {
    frame(bytes).is_some()
}

/// Reads a recording.
pub(super) fn read(reel: &mut Reel) -> Result<(), Error> {
    let note = "imported from a recording of ttyrec; how it ended is not known";
    let mut call = Call { note: note.to_owned(), ..Call::default() };
    let (mut rest, mut begin) = (reel.bytes, None);
    while !rest.is_empty() {
        let Some((frame, after)) = frame(rest) else {
            let at = reel.bytes.len() - rest.len();
            let what = format!("byte {at}: no whole frame of ttyrec; cut the file off there");
            return Err(super::unfit(reel.path, what));
        };
        let at = frame.seconds - *begin.get_or_insert(frame.seconds);
        call.writes.push((Mark::at((at * 1000.0).max(0.0)), Stream::Out, frame.bytes.to_vec()));
        rest = after;
    }
    reel.take(call);
    Ok(())
}
