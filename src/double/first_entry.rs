//! The journal entry as it stands at the start of a spawn.

use std::ffi::OsStr;

use serde_json::{Map, Value};

use crate::invocation::Invocation;
use crate::journal::secrets::{EnvMode, Masker};
use crate::journal::{Entry, JournaledText, Kind, State, Stdin};
use crate::play::untouched;

/// Describes a spawn of which nothing is known but how it was started.
pub(super) fn first_entry(program: &str, invocation: &Invocation, env: EnvMode) -> (Entry, Masker) {
    let mut masker = Masker::new(salt(invocation), env);
    let env = environment(invocation, &mut masker);
    let argv = arguments(invocation, &mut masker);
    let [stdin, stdout, stderr] = invocation.stdio;
    let entry = Entry {
        ringer: 1,
        spawn: 0,
        program: program.to_owned(),
        kind: Kind::Run,
        recording: None,
        play: None,
        recordings: None,
        argv,
        cwd: JournaledText::of(invocation.cwd.as_os_str()),
        env,
        masked: masker.masked().cloned(),
        pid: invocation.pid,
        inner_pid: None,
        ppid: invocation.ppid,
        pgid: invocation.pgid,
        sid: invocation.sid,
        new_session: invocation.sid == invocation.pid,
        stdin: Stdin { kind: stdin, bytes: 0, eof: false, waited_ms: 0, text: None },
        turns_left: None,
        waiting_for: None,
        stdout: untouched(stdout),
        stderr: untouched(stderr),
        lines_read: None,
        reader_gone: None,
        signals: Vec::new(),
        terminated: false,
        exit: None,
        started_at: invocation.started_at,
        ended_at: None,
        wall_ms: None,
        state: State::Running,
        problems: Vec::new(),
        mentions: Vec::new(),
    };
    (entry, masker)
}

fn environment(invocation: &Invocation, masker: &mut Masker) -> Map<String, Value> {
    let mut env = Map::with_capacity(invocation.env.len());
    for (name, value) in &invocation.env {
        let name = name.to_string_lossy().into_owned();
        let value = match value.to_str() {
            Some(text) => masker.env(&name, text).map(|text| Value::from(text.into_owned())),
            None => masker.env(&name, "").map(|_| bytes(value)),
        };
        env.insert(name, value.unwrap_or(Value::Null));
    }
    env
}

fn arguments(invocation: &Invocation, masker: &mut Masker) -> Vec<JournaledText> {
    let texts: Vec<&str> = invocation.argv.iter().map(|arg| arg.to_str().unwrap_or("")).collect();
    let masked = masker.argv(&texts);
    let both = invocation.argv.iter().zip(masked);
    both.map(|(arg, masked)| match arg.to_str() {
        Some(_) => JournaledText::Text(masked.into_owned()),
        None => JournaledText::of(arg),
    })
    .collect()
}

fn bytes(value: &OsStr) -> Value {
    serde_json::to_value(JournaledText::of(value)).unwrap_or(Value::Null)
}

/// Differs from entry to entry; it need not be secret.
fn salt(invocation: &Invocation) -> String {
    let time = invocation.started_at.as_nanosecond() as u64;
    let pid = u64::from(invocation.pid.unsigned_abs());
    format!("{:016x}", time.rotate_left(20) ^ pid.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
