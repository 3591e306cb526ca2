//! Who is taken up and who is refused, each rule by the capture that shows it.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::*;
use crate::persona::claude::arguments as claude_args;
use crate::persona::codex::arguments as codex_args;
use crate::persona::{Answer, Meaning};

const A: &str = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";
const NEW: &str = "dddddddd-bbbb-4ccc-8ddd-eeeeeeeeeeee";
const NOBODY: &str = "00000000-0000-4000-8000-000000000000";
const THREAD: &str = "01a22c0f-2b18-7e43-89e0-2dfb9ad1d978";
const LOST: &str = "01a22c08-0000-7000-8000-000000000000";

/// A state directory, with what a spawn in it asks.
struct Scene {
    _state: tempfile::TempDir,
    sessions: Sessions,
    version: Option<&'static str>,
    cwd: PathBuf,
    strict: bool,
}

impl Scene {
    fn strict(version: Option<&'static str>) -> Scene {
        let state = tempfile::tempdir().unwrap();
        let sessions = Sessions::of(state.path());
        Scene { _state: state, sessions, version, cwd: PathBuf::from("/w"), strict: true }
    }

    fn lax() -> Scene {
        Scene { strict: false, ..Scene::strict(None) }
    }

    fn having(self, program: &str, id: &str, cwd: &str, spawn: u64) -> Scene {
        self.having_it(Session {
            program: program.to_owned(),
            id: id.to_owned(),
            cwd: cwd.to_owned(),
            spawn,
            carried: json!({"spawn": spawn}),
            ..Session::default()
        })
    }

    fn having_it(self, session: Session) -> Scene {
        self.sessions.record(&session).unwrap();
        self
    }

    fn in_dir(self, cwd: &str) -> Scene {
        Scene { cwd: PathBuf::from(cwd), ..self }
    }

    fn around(&self) -> Around<'_> {
        Around {
            sessions: &self.sessions,
            version: self.version,
            cwd: &self.cwd,
            strict: self.strict,
            seed: "seed",
            spawn: 9,
        }
    }

    fn claude(&self, words: &[&str]) -> Result<Resolved, Answer> {
        let around = claude_args::Surroundings::default();
        let table = claude_args::table(self.version);
        match claude_args::judge(&table, words, true, true, &around) {
            Meaning::Run(request) => claude(&request, &self.around()),
            other => panic!("{words:?}: {other:?}"),
        }
    }

    fn codex(&self, words: &[&str]) -> Result<Resolved, Answer> {
        let table = codex_args::table(self.version);
        let around = codex_args::Surroundings::default();
        match codex_args::judge(&table, words, true, true, &around) {
            Meaning::Run(request) => codex(&request, &self.around()),
            other => panic!("{words:?}: {other:?}"),
        }
    }
}

/// A capture's stdout, stderr and arguments; none where there are no captures.
struct Capture {
    argv: Vec<String>,
    answer: Answer,
}

fn capture(run: &str) -> Option<Capture> {
    let root = std::env::var_os("RINGER_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")),
        PathBuf::from,
    );
    let dir = Some(root.join("truth").join(run)).filter(|path| path.is_dir())?;
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap_or_default();
    let run: Value = serde_json::from_str(&read("run.json")).unwrap();
    let argv = run["argv"].as_array().unwrap().iter();
    Some(Capture {
        argv: argv.map(|word| word.as_str().unwrap().to_owned()).collect(),
        answer: Answer {
            stdout: read("stdout"),
            stderr: read("stderr"),
            code: u8::try_from(run["exit_code"].as_u64().unwrap()).unwrap(),
        },
    })
}

impl Capture {
    fn words(&self) -> Vec<&str> {
        self.argv.iter().map(String::as_str).collect()
    }
}

/// An answer with the values that a run makes up taken out of its events.
fn without_made_up(answer: &Answer, keys: &[&str]) -> Answer {
    let mut answer = answer.clone();
    for key in keys {
        let head = format!("\"{key}\":\"");
        if let Some(at) = answer.stdout.find(&head) {
            let start = at + head.len();
            answer.stdout.replace_range(start..start + 36, "");
        }
    }
    answer
}

#[test]
fn claude_refuses_a_session_that_is_not_there_to_the_byte() {
    let runs = [
        ("s06_resume_unknown", &["uuid"][..]),
        ("s06_resume_unknown_text", &[]),
        ("s05_m_resume_uppercase", &["uuid"]),
        ("s06_resume_notuuid", &["uuid", "session_id"]),
        ("s06_resume_novalue", &["uuid", "session_id"]),
    ];
    for version in ["2.1.197", "2.1.332"] {
        let scene = Scene::strict(Some(version)).having("claude", A, "/w", 1);
        for (run, made_up) in runs {
            let Some(capture) = capture(&format!("claude-{version}/{run}")) else { return };
            let answer = scene.claude(&capture.words()).unwrap_err();
            assert_eq!(
                without_made_up(&answer, made_up),
                without_made_up(&capture.answer, made_up),
                "{version} {run}"
            );
        }
    }
}

#[test]
fn claude_refuses_an_id_that_is_taken_as_in_s05_b_session_id_reuse() {
    for version in ["2.1.197", "2.1.332"] {
        let scene = Scene::strict(Some(version)).having("claude", A, "/w", 1);
        let run = format!("claude-{version}/s05_b_session_id_reuse");
        let Some(capture) = capture(&run) else { return };
        assert_eq!(scene.claude(&capture.words()).unwrap_err(), capture.answer);
        assert_eq!(scene.claude(&["-p", "x", "--session-id", NEW]).unwrap().id.unwrap(), NEW);
    }
}

#[test]
fn only_2_1_332_finds_a_session_from_another_directory_as_in_s05_i_resume_othercwd() {
    let Some(old) = capture("claude-2.1.197/s05_i_resume_othercwd") else { return };
    let scene =
        |version| Scene::strict(Some(version)).having("claude", A, "/w", 1).in_dir("/elsewhere");
    let answer = scene("2.1.197").claude(&old.words()).unwrap_err();
    assert_eq!(without_made_up(&answer, &["uuid"]), without_made_up(&old.answer, &["uuid"]));
    let found = scene("2.1.332").claude(&old.words()).unwrap();
    assert_eq!((found.id.as_deref(), found.cwd.as_deref()), (Some(A), Some("/w")));
}

#[test]
fn resume_and_continue_keep_the_id_and_a_fork_gets_another_one() {
    let scene = Scene::strict(None).having("claude", A, "/w", 4).having("claude", NEW, "/x", 5);
    let resumed = scene.claude(&["-p", "x", "--resume", A]).unwrap();
    assert_eq!(resumed.id.as_deref(), Some(A));
    assert!(resumed.resumes);
    assert_eq!(resumed.carried, Some(json!({"spawn": 4})));
    // s05_d_continue: the last one of this directory.
    assert_eq!(scene.claude(&["-p", "x", "--continue"]).unwrap(), resumed);
    // s05_e_resume_fork, s05_f_resume_fork_sid.
    let forked = scene.claude(&["-p", "x", "-r", A, "--fork-session"]).unwrap();
    assert_eq!((forked.id, forked.forked_from.as_deref(), forked.resumes), (None, Some(A), false));
    assert_eq!(forked.carried, Some(json!({"spawn": 4})));
    let sid = "bbbbbbbb-bbbb-4ccc-8ddd-eeeeeeeeeeee";
    let forked = scene.claude(&["-p", "x", "-c", "--fork-session", "--session-id", sid]).unwrap();
    assert_eq!((forked.id.as_deref(), forked.forked_from.as_deref()), (Some(sid), Some(A)));
}

#[test]
fn nothing_to_continue_and_a_fork_of_nothing_are_new_sessions() {
    let scene = Scene::strict(None).having("claude", A, "/x", 1);
    let fresh = Resolved::default();
    assert_eq!(scene.claude(&["-p", "x", "--continue"]).unwrap(), fresh);
    assert_eq!(scene.claude(&["-p", "x", "-c", "--fork-session"]).unwrap(), fresh);
    // s05_h_fork_alone.
    assert_eq!(scene.claude(&["-p", "x", "--fork-session"]).unwrap(), fresh);
}

#[test]
fn a_title_names_its_session_and_stays_with_it() {
    let named = Session { title: Some("my session".to_owned()), ..Session::default() };
    let scene = Scene::strict(None).having_it(Session {
        program: "claude".to_owned(),
        id: A.to_owned(),
        cwd: "/w".to_owned(),
        spawn: 1,
        ..named
    });
    let resumed = scene.claude(&["-p", "x", "--resume", "my session"]).unwrap();
    assert_eq!((resumed.id.as_deref(), resumed.title.as_deref()), (Some(A), Some("my session")));
    let renamed = scene.claude(&["-p", "x", "--resume", A, "--name", "other"]).unwrap();
    assert_eq!(renamed.title.as_deref(), Some("other"));
    assert_eq!(scene.claude(&["-p", "x", "--resume", "My"]).unwrap_err().code, 1);
}

#[test]
fn a_session_that_was_not_kept_cannot_be_resumed_and_takes_no_id() {
    // s05_j_no_persist.
    let words = ["-p", "x", "--no-session-persistence", "--session-id", NEW];
    let scene = Scene::strict(None);
    let made = scene.claude(&words).unwrap();
    let made = made.session("claude", NEW, &scene.around(), Value::Null);
    let scene = scene.having_it(made);
    assert!(scene.claude(&["-p", "x", "--resume", NEW]).is_err());
    assert!(scene.claude(&["-p", "x", "--continue"]).unwrap().id.is_none());
    assert!(scene.claude(&words).is_ok());
}

#[test]
fn a_title_with_quotes_is_escaped_in_the_event() {
    let words = ["-p", "x", "-r", "a \"b\" ${uuid}", "--output-format=stream-json", "--verbose"];
    let answer = Scene::strict(None).claude(&words).unwrap_err();
    let event: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(event["errors"][0].as_str(), answer.stderr.strip_suffix('\n'));
    assert!(answer.stderr.contains("\"a \"b\" ${uuid}\""));
}

#[test]
fn without_strictness_any_named_session_is_known() {
    let scene = Scene::lax();
    let resumed = scene.claude(&["-p", "x", "--resume", NOBODY]).unwrap();
    assert_eq!((resumed.id.as_deref(), resumed.resumes), (Some(NOBODY), true));
    assert_eq!(scene.claude(&["-p", "x", "--resume=made-up"]).unwrap().id.unwrap(), "made-up");
    assert_eq!(scene.claude(&["-p", "x", "--session-id", A]).unwrap().id.unwrap(), A);
    let forked = scene.claude(&["-p", "x", "-r", NOBODY, "--fork-session"]).unwrap();
    assert_eq!((forked.id, forked.forked_from.as_deref()), (None, Some(NOBODY)));
    let resumed = scene.codex(&["exec", "resume", LOST, "x"]).unwrap();
    assert_eq!((resumed.id.as_deref(), resumed.resumes), (Some(LOST), true));
    assert!(scene.codex(&["exec", "resume", "--last", "x"]).unwrap().id.is_none());
}

#[test]
fn codex_refuses_a_thread_that_is_not_there_to_the_byte() {
    for (version, run) in [
        ("0.171.0", "03-resume-unknown"),
        ("0.171.0", "03-resume-unknown-human"),
        ("0.171.0", "03-fork-unknown"),
        ("0.125.0", "resume-unknown"),
    ] {
        let scene = Scene::strict(Some(version)).having("codex", THREAD, "/w", 1);
        let Some(capture) = capture(&format!("codex-{version}/{run}")) else { return };
        assert_eq!(scene.codex(&capture.words()).unwrap_err(), capture.answer, "{version} {run}");
    }
}

#[test]
fn older_versions_of_codex_start_a_new_thread_instead() {
    for version in ["0.50.0", "0.99.0"] {
        let Some(capture) = capture(&format!("codex-{version}/resume-unknown")) else { return };
        assert_eq!(capture.answer.code, 0);
        let resolved = Scene::strict(Some(version)).codex(&capture.words()).unwrap();
        assert_eq!(resolved, Resolved::default(), "{version}");
    }
}

#[test]
fn codex_takes_names_and_last_that_lead_to_nothing_for_a_new_thread() {
    let scene = Scene::strict(None).having("codex", THREAD, "/w", 1).in_dir("/other");
    for words in [
        // 03-resume-notuuid, 03-resume-last-other-cwd.
        &["exec", "--json", "resume", "not-a-uuid", "x"][..],
        &["exec", "--json", "resume", "--last", "x"],
        &["exec", "fork", "not-a-uuid", "x"],
        &["exec", "review", "--uncommitted"],
        &["exec", "x"],
    ] {
        assert_eq!(scene.codex(words).unwrap(), Resolved::default(), "{words:?}");
    }
}

#[test]
fn codex_takes_up_the_thread_that_is_named_from_anywhere_and_the_last_one_from_here() {
    let other = "01a22c0f-3e01-7a03-ae1e-c2af40db49eb";
    let scene = Scene::strict(None)
        .having("codex", THREAD, "/w", 1)
        .having("codex", other, "/other", 2)
        .having("claude", A, "/w", 3);
    let id = |words: &[&str]| scene.codex(words).unwrap().id;
    // 03-resume-id, 03-resume-last, 03-resume-last-all-other-cwd.
    assert_eq!(id(&["exec", "resume", other, "x"]).as_deref(), Some(other));
    assert_eq!(id(&["exec", "resume", &other.to_uppercase(), "x"]).as_deref(), Some(other));
    assert_eq!(id(&["exec", "resume", "--last", "x"]).as_deref(), Some(THREAD));
    assert_eq!(id(&["exec", "resume", "--last", "--all", "x"]).as_deref(), Some(other));
    // 03-fork.
    let forked = scene.codex(&["exec", "fork", THREAD, "x"]).unwrap();
    assert_eq!((forked.id, forked.forked_from.as_deref()), (None, Some(THREAD)));
    assert_eq!(forked.carried, Some(json!({"spawn": 1})));
}

#[test]
fn a_thread_that_was_not_kept_cannot_be_taken_up() {
    // t-ephemeral.
    let scene = Scene::strict(None);
    let made = scene.codex(&["exec", "--ephemeral", "x"]).unwrap();
    let made = made.session("codex", THREAD, &scene.around(), Value::Null);
    let scene = scene.having_it(made);
    let refused = scene.codex(&["exec", "resume", THREAD, "x"]).unwrap_err();
    assert_eq!(refused.code, 1);
    assert!(scene.codex(&["exec", "resume", "--last", "x"]).unwrap().id.is_none());
}
