//! The shape of what went to stdout, held against the output format that the arguments ask for.
//! Recordings are played as they stand whatever was asked; the verdict mentions what does not fit.

/// How much of the stream is looked at.
const ENOUGH: usize = 512;

/// An output format, as far as its shape tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Text for people.
    Text,
    /// One JSON document.
    Document,
    /// A JSON object a line.
    Lines,
}

/// Remembers how a stream begins.
#[derive(Debug, Default)]
pub(super) struct Beginning {
    bytes: Vec<u8>,
}

impl Beginning {
    /// Takes bytes that went out.
    pub fn feed(&mut self, bytes: &[u8]) {
        let room = ENOUGH.saturating_sub(self.bytes.len()).min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..room]);
    }

    /// The shape of the stream; none if there was too little of it.
    fn shape(&self) -> Option<Shape> {
        let text = self.bytes.trim_ascii_start();
        let says = |word: &str| memchr::memmem::find(text, word.as_bytes()).is_some();
        Some(match text.first()? {
            b'[' => Shape::Document,
            b'{' if says("\"type\":\"system\"") || says(".started\"") => Shape::Lines,
            b'{' if says("\"type\":\"result\"") || says("\"duration_api_ms\"") => Shape::Document,
            // Some other event: streams may begin with any.
            b'{' => return None,
            _ => Shape::Text,
        })
    }

    /// Says in words what does not fit, if anything.
    pub fn mismatch(&self, asked: Shape) -> Option<String> {
        let found = self.shape().filter(|found| *found != asked)?;
        Some(format!(
            "the arguments ask for {}, the recording has {}; it was played as it stands (\"render\": \
             true has a recorded stream follow the arguments)",
            asked.in_words(),
            found.in_words()
        ))
    }
}

impl Shape {
    fn in_words(self) -> &'static str {
        match self {
            Shape::Text => "text",
            Shape::Document => "one JSON document",
            Shape::Lines => "a stream of JSON lines",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mismatch(asked: Shape, stream: &str) -> bool {
        let mut beginning = Beginning::default();
        beginning.feed(stream.as_bytes());
        beginning.mismatch(asked).is_some()
    }

    #[test]
    fn a_stream_that_fits_is_not_mentioned() {
        assert!(!mismatch(Shape::Lines, "{\"type\":\"system\",\"subtype\":\"init\"}\n"));
        assert!(!mismatch(Shape::Lines, "{\"type\":\"thread.started\"}\n"));
        assert!(!mismatch(Shape::Document, "{\"type\":\"result\"}\n"));
        assert!(!mismatch(Shape::Text, "hello\n"));
        assert!(!mismatch(Shape::Lines, ""));
        assert!(!mismatch(Shape::Lines, "{\"type\":\"demo\"}\n"));
    }

    #[test]
    fn a_stream_of_another_format_is_mentioned() {
        assert!(mismatch(Shape::Text, "{\"type\":\"system\"}\n"));
        assert!(mismatch(Shape::Document, "{\"type\":\"system\"}\n"));
        assert!(mismatch(Shape::Lines, "hello\n"));
        assert!(mismatch(Shape::Lines, "[{\"type\":\"system\"}]\n"));
    }
}
