use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::scene::{Scene, seen};

/// Twenty secrets of as many shapes; none is real.
const SHAPES: [&str; 20] = [
    "sk-ant-api03-plantedplanted0123456789",
    "sk-ant-oat01-plantedplanted0123456789",
    "sk-proj-planted_planted-0123456789",
    "sk-0123456789abcdefABCDEF0123456789abcdefABCDEF0123",
    "ghp_plantedplantedplanted0123456789abcd",
    "gho_plantedplantedplanted0123456789abcd",
    "github_pat_11PLANTED0abcdefghij_klmnopqrstuvwxyz",
    "glpat-planted0123456789ab",
    "xoxb-123456789012-plantedplanted",
    "AKIAPLANTEDPLANTED00",
    "AIzaSyPlanted0123456789abcdefghijklmnop",
    "npm_plantedplantedplanted0123456789abcdef",
    "hf_plantedplantedplanted0123456789abcd",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    "ya29.planted-planted_0123456789abcdef",
    "sk_live_planted0123456789abcdefgh",
    "whsec_planted0123456789abcdefghij",
    "dop_v1_0123456789abcdef0123456789abcdef",
    "gsk_planted0123456789abcdefghijklmnopqrst",
    "r8_planted0123456789abcdefghijklmnopqrstuv",
];

const VARIABLE: &str = "planted/variable+value==1";

/// All that was written below the recordings.
fn on_disk(scene: &Scene) -> String {
    let texts = scene.files().into_iter().map(|name| {
        let path = scene.path("rec").join(&name);
        if name.ends_with(".jsonl") {
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
        }
        fs::read_to_string(path).unwrap()
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
fn planted_secrets_do_not_reach_the_disk_and_ordinary_values_survive() {
    let mut script = String::new();
    for (index, secret) in SHAPES.iter().enumerate() {
        let escaped: String = secret.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
        let (begin, end) = secret.split_at(secret.len() / 2);
        let line = match index % 4 {
            0 => format!("printf '%s\\n' '{{\"text\":\"the key is {secret}, keep it\"}}'"),
            1 => format!("printf '%s\\n' '{{\"text\":\"{escaped}\"}}'"),
            2 => format!("printf '%s' 'key {begin}'; sleep 0.03; printf '%s\\n' '{end} end'"),
            _ => format!("printf '%s\\n' 'Authorization: Bearer {secret}' >&2"),
        };
        script.push_str(&format!("{line}\n"));
    }
    let basic = STANDARD.encode("jane:planted-password");
    let inside = STANDARD.encode(format!("x:{VARIABLE}"));
    script.push_str(&format!("echo 'Authorization: Basic {basic}'; echo 'header {inside}'\n"));
    script.push_str("printf '%s\\n' \"$MY_API_KEY $MAX_TOKENS $USE_TOKEN $SHORT_KEY\"\n");
    script.push_str(
        "printf '%s\\n' \"$HOME/x jane.doe@corp-planted.org jdoe@there plain-value-1\"\n",
    );
    let scene = Scene::new().real("claude", &script);
    let mut command =
        scene.record(&[], &["claude", "-p", "--api-key", "planted-option-1", SHAPES[0]]);
    command.env("MY_API_KEY", VARIABLE).env("MAX_TOKENS", "1234567890");
    command.env("USE_TOKEN", "true").env("SHORT_KEY", "tiny");
    let input = format!("{{\"type\":\"user\",\"message\":\"{VARIABLE} {}\"}}\n", SHAPES[4]);
    let recorded = seen(&mut command, &input);
    assert!(
        SHAPES.iter().any(|secret| recorded.stdout.contains(secret)),
        "it is passed on untouched"
    );
    let text = on_disk(&scene);
    for secret in SHAPES.iter().chain(&[VARIABLE, &basic, &inside, "planted-option-1", "jane.doe"])
    {
        assert!(!text.contains(secret), "{secret}\n{text}");
    }
    for piece in ["planted0123", "jdoe", "corp-planted", "plantedplanted"] {
        assert!(!text.to_lowercase().contains(piece), "{piece}\n{text}");
    }
    for ordinary in
        ["1234567890 true tiny", "plain-value-1", "the key is sk-ant-redacted-", "keep it"]
    {
        assert!(text.contains(ordinary), "{ordinary}\n{text}");
    }
    let check =
        scene.ringer(&["check-secrets", "../rec"]).env("MY_API_KEY", VARIABLE).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&check.stdout), "");
    let said = String::from_utf8_lossy(&check.stderr).into_owned();
    assert!(said.starts_with("ringer: nothing looks like a secret in "), "{said}");
    assert_eq!(check.status.code(), Some(0));
}

#[test]
fn what_still_looks_like_a_secret_is_found() {
    let scene = Scene::new();
    fs::write(scene.path("rec/01.jsonl"), format!("{{\"a\":1}}\n{{\"k\":\"{}\"}}\n", SHAPES[1]))
        .unwrap();
    let check = scene.ringer(&["check-secrets", "../rec"]).output().unwrap();
    assert_eq!(check.status.code(), Some(1));
    let said = String::from_utf8_lossy(&check.stdout).into_owned();
    assert_eq!(said, "../rec/01.jsonl:2: a token that begins with \"sk-ant-o\"\n");
}

#[test]
fn ids_and_directories_follow_the_spawn_that_replays_unless_verbatim() {
    let script = r#"printf '{"type":"system","cwd":"%s","home":"%s"}\n' "$PWD" "$HOME""#;
    let scene = Scene::new().real("claude", script);
    let real = seen(&mut scene.record(&[], &["claude", "-p", "x"]), "").stdout;
    let text = scene.recording("claude/01.jsonl");
    assert!(text.contains("\"bind\":{\"cwd\":") && !text.contains("jdoe"), "{text}");
    assert_eq!(seen(&mut scene.run(&["claude", "-p", "x"]), "").stdout, real);
    let mut moved =
        scene.ringer(&["run", scene.path("rec").to_str().unwrap(), "--", "claude", "-p", "x"]);
    let elsewhere = seen(moved.current_dir(scene.path("home/jdoe")), "").stdout;
    assert!(elsewhere.contains("home/jdoe\",\"home\""), "{elsewhere}");
    seen(&mut scene.record(&["--mode", "new", "--verbatim"], &["claude", "-p", "x"]), "");
    assert!(!scene.recording("claude/02.jsonl").contains("bind"));
}

#[test]
fn one_value_has_one_placeholder_in_the_whole_set() {
    let scene = Scene::new().real("claude", "echo $2 both@corp.org");
    let harness = "claude -p one@corp.org; claude -p two@corp.org; claude -p one@corp.org";
    let redact = ["--redact", "ticket=T-[0-9]+"];
    seen(&mut scene.record(&redact, &["sh", "-c", &format!("{harness}; claude -p T-7")]), "");
    let address = |name: &str| {
        let text = scene.recording(name);
        text.split("\"out\":").nth(1).unwrap().lines().next().unwrap().to_owned()
    };
    assert_eq!(address("claude/01.jsonl"), address("claude/03.jsonl"));
    assert_eq!(address("claude/02.jsonl"), "\"user3@example.com user2@example.com\\n\"}");
    assert!(address("claude/04.jsonl").starts_with("\"redacted-ticket-1 "));
}
