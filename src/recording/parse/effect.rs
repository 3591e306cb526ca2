//! Parses `file`.

use super::super::error::{Mistake, listed};
use super::super::object::{Keys, Object};
use super::super::path::EffectPath;
use super::super::step::{Effect, Verb};
use super::super::value::Field;

pub(super) fn effect(field: Field) -> Result<Verb, Mistake> {
    const EFFECTS: Keys = &["write", "append", "remove", "mkdir"];
    const KEYS: Keys = &["write", "append", "remove", "mkdir", "text", "base64"];
    let mut keys =
        field.object("an object such as {\"write\": \"a.txt\", \"text\": \"...\"}", KEYS)?;
    let mut named = EFFECTS.iter().filter_map(|effect| keys.take(effect));
    let (Some(place), None) = (named.next(), named.next()) else {
        let names = listed(EFFECTS.iter().copied());
        return Err(Mistake::new(format!("`file` needs one of {names}")));
    };
    let path = EffectPath::parse(&place.string_or("a path")?)?;
    let effect = match place.key {
        "write" => Effect::Write(content(&mut keys, "write")?),
        "append" => Effect::Append(content(&mut keys, "append")?),
        "mkdir" => Effect::Mkdir,
        _ => Effect::Remove,
    };
    match keys.rest() {
        [] => Ok(Verb::File { path, effect }),
        [stray, ..] => {
            Err(Mistake::new(format!("`{}` does not go with `{}`", stray.key, place.key)))
        }
    }
}

/// What a file then holds or ends with.
fn content(keys: &mut Object, effect: &str) -> Result<Vec<u8>, Mistake> {
    match (keys.take("text"), keys.take("base64")) {
        (Some(text), None) => text.string().map(String::into_bytes),
        (None, Some(bytes)) => bytes.base64(),
        _ => Err(Mistake::new(format!("`{effect}` needs `text` or `base64`, one of them"))),
    }
}
