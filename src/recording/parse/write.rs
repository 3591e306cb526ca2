//! Parses what is written: `out`, `err`, their kinds, and `reply`.

use super::super::error::Mistake;
use super::super::object::Object;
use super::super::path::beside;
use super::super::step::{Output, Source, Write};
use super::super::value::Field;

/// Parses `out`, `err` or one of their kinds; the field's key says which.
pub(super) fn write(field: Field, keys: &mut Object) -> Result<Write, Mistake> {
    let (stream, source) = output(field)?;
    with_companions(stream, source, keys)
}

/// Parses `reply`.
pub(super) fn reply(field: Field, keys: &mut Object) -> Result<Write, Mistake> {
    with_companions(Output::Stdout, value(field)?, keys)
}

/// What `out`, `err` and their kinds write, and where.
fn output(field: Field) -> Result<(Output, Source), Mistake> {
    let (stream, kind) = match field.key.strip_prefix("out") {
        Some(kind) => (Output::Stdout, kind),
        None => (Output::Stderr, field.key.trim_start_matches("err")),
    };
    let source = match kind {
        "_base64" => Source::Bytes(field.base64()?),
        "_file" => Source::File(beside(field.string_or("a path")?)?),
        "_fill" => fill(field)?,
        _ => value(field)?,
    };
    Ok((stream, source))
}

/// A string as its text, any other value as its source.
fn value(field: Field) -> Result<Source, Mistake> {
    match field.is_string() {
        true => field.string().map(Source::Text),
        false => Ok(Source::Json(field.raw.to_owned())),
    }
}

fn fill(field: Field) -> Result<Source, Mistake> {
    let mut keys = field.object("{\"text\": \"x\", \"times\": n}", &["text", "times"])?;
    let text = keys.need("text", field.key)?.string()?;
    let times = keys.need("times", field.key)?;
    let count: u64 = times.whole("a whole number")?;
    match count.checked_mul(text.len() as u64) {
        Some(_) => Ok(Source::Fill { text, times: count }),
        None => Err(times.refuse("a number of bytes that can be counted")),
    }
}

/// Adds the keys that go with every write.
fn with_companions(stream: Output, source: Source, keys: &mut Object) -> Result<Write, Mistake> {
    Ok(Write {
        stream,
        source,
        split: keys.read("split", split)?.unwrap_or_default(),
        gap_ms: keys.read("gap_ms", Field::millis)?,
        more: keys.read("more", Field::flag)?.unwrap_or_default(),
    })
}

fn split(field: Field) -> Result<Vec<u64>, Mistake> {
    const WANT: &str = "byte offsets above 0, each beyond the one before";
    let mut offsets = Vec::new();
    for element in field.list(WANT)? {
        let offset = element.whole(WANT)?;
        if offset <= offsets.last().copied().unwrap_or(0) {
            return Err(field.refuse(WANT));
        }
        offsets.push(offset);
    }
    Ok(offsets)
}
