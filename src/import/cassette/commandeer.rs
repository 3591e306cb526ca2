//! Recordings of `commandeer-test` (crates.io, version 0.1): `{"commands": {"claude:-p hi":
//! [{"binary_name", "args", "stdout", "stderr", "exit_code"}]}}`.
//!
//! The keys are in no order, so each call asks for its arguments, and the order in which different
//! calls were made is not known. Calls with the same arguments are in order; there the first of them
//! answers for ever, while here each answers once.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::call::{Call, exit_of};
use super::{Reel, arguments};
use crate::error::Error;
use crate::record::lines::Mark;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    commands: Commands,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Invocation {
    binary_name: String,
    args: Vec<String>,
    stdout: String,
    stderr: String,
    exit_code: i64,
}

/// Reads a recording.
pub(super) fn read(reel: &mut Reel) -> Result<(), Error> {
    let text = reel.text()?;
    let path = reel.path;
    let recorded: Recorded = serde_json::from_str(&text).map_err(|error| {
        let said = error.to_string();
        let what = said.split(" at line ").next().unwrap_or(&said).to_owned();
        super::wrong(path, error.line().max(1) as u64, what)
    })?;
    for (_, calls) in recorded.commands.0 {
        for made in calls {
            let mut call = Call {
                program: Some(arguments::program_of(&made.binary_name)),
                arguments: Some(arguments::exact(&made.args)),
                note: "imported from a recording of commandeer-test".to_owned(),
                ..Call::default()
            };
            call.wrote(made.stdout.as_bytes(), made.stderr.as_bytes());
            call.exit = exit_of(made.exit_code).map(|exit| (Mark::default(), exit));
            if call.exit.is_none() {
                call.note.push_str("; how it ended is not known");
            }
            reel.take(call);
        }
    }
    Ok(())
}

/// The calls by key, in the order of the file.
struct Commands(Vec<(String, Vec<Invocation>)>);

impl<'de> Deserialize<'de> for Commands {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Commands, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Commands;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object of calls by command line")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Commands, A::Error> {
                let mut commands = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    commands.push(entry);
                }
                Ok(Commands(commands))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}
