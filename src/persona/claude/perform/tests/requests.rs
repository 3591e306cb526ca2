//! The client's requests without a recording: stock answers against the real ones.

use super::{captures, options, spawn, text, voice};
use crate::persona::Piece;
use crate::persona::claude::perform::ClaudeVoice;
use crate::persona::performer::{Frame, Performer as _};
use serde_json::{Value, json};

/// What goes out on a line of a client whose turn is not being played.
fn out(voice: &mut ClaudeVoice, line: &str) -> String {
    match voice.frame(line.as_bytes(), false) {
        Frame::Answered(pieces) | Frame::Fatal { pieces, .. } => text(&pieces),
        Frame::User => String::new(),
        other => panic!("{other:?}"),
    }
}

fn events(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The request for something, with the id `r`.
fn asking(request: &Value) -> String {
    json!({"type": "control_request", "request_id": "r", "request": request}).to_string()
}

fn answer(voice: &mut ClaudeVoice, request: Value) -> Value {
    events(&out(voice, &asking(&request))).pop().unwrap()["response"].take()
}

/// A value's keys in order, down to the depth at which the values are the project's own.
fn shape(value: &Value) -> Value {
    let Value::Object(map) = value else { return Value::Null };
    let inner = |(key, value): (&String, &Value)| json!([key, shape(value)]);
    let own = ["slashCommands", "skills", "messageBreakdown"];
    Value::Array(
        map.iter()
            .map(|entry| match own.contains(&entry.0.as_str()) {
                true => json!([entry.0, null]),
                false => inner(entry),
            })
            .collect(),
    )
}

#[test]
fn stock_answers_have_the_keys_of_the_real_ones_in_their_order() {
    let mut seen = 0;
    for capture in captures() {
        let wanted: Vec<Value> = capture
            .stdout
            .iter()
            .filter_map(|line| serde_json::from_slice(line).ok())
            .filter(|event: &Value| event["type"] == "control_response")
            .collect();
        let mut voice = voice(&capture.version);
        let mut got = Vec::new();
        for line in &capture.stdin {
            match voice.frame(line, false) {
                Frame::Answered(pieces) | Frame::Fatal { pieces, .. } => {
                    got.extend(events(&text(&pieces)));
                }
                _ => {}
            }
        }
        got.retain(|event| event["type"] == "control_response");
        assert!(got.len() >= wanted.len(), "{}", capture.name);
        for (got, wanted) in got.iter().zip(&wanted) {
            let place = format!("{}/{} {wanted}", capture.version, capture.name);
            assert_eq!(shape(got), shape(wanted), "{}", &place[..place.len().min(300)]);
            assert_eq!(got["response"]["request_id"], wanted["response"]["request_id"]);
            assert_eq!(got["response"]["error"], wanted["response"]["error"], "{}", capture.name);
            let small = wanted.to_string().len() < 300;
            if small {
                assert_eq!(got, wanted, "{}", capture.name);
            }
            seen += 1;
        }
    }
    eprintln!("{seen} answers");
}

#[test]
fn initialize_has_what_clients_read_of_it() {
    for version in ["2.1.197", "2.1.332"] {
        let mut voice = voice(version);
        let said = answer(&mut voice, json!({"subtype": "initialize", "hooks": null}));
        let said = &said["response"];
        for list in ["commands", "models", "agents", "available_output_styles"] {
            assert!(said[list].as_array().is_some_and(|list| !list.is_empty()), "{version} {list}");
        }
        assert!(said["models"].as_array().unwrap().iter().all(|model| model["value"].is_string()));
        assert!(said["account"].is_object());
        assert_eq!(said["output_style"], "default");
        assert!(said.get("hooks_applied").is_none());
    }
}

#[test]
fn what_the_client_hands_over_is_said_to_be_taken() {
    let request = json!({"subtype": "initialize", "hooks": {"Stop": [{"hookCallbackIds": ["h"]}]},
        "settings": {}, "managedSettings": {}, "disallowedTools": [], "mcpServers": {}});
    let said = answer(&mut voice("2.1.332"), request);
    for flag in ["hooks", "settings", "managed_settings", "disallowed_tools", "mcp_servers"] {
        assert_eq!(said["response"][format!("{flag}_applied")], true, "{flag}");
    }
    assert_eq!(said["response"]["hook_on_failure_supported"], true);
}

#[test]
fn a_test_may_give_its_own_models() {
    let mut options = options("2.1.332");
    options.initialize = vec![
        ("models".to_owned(), r#"[{"value":"mine"}]"#.to_owned()),
        ("extra".to_owned(), "1".to_owned()),
    ];
    let mut voice = ClaudeVoice::new(spawn("2.1.332"), options);
    let said = answer(&mut voice, json!({"subtype": "initialize"}));
    assert_eq!(said["response"]["models"], json!([{"value": "mine"}]));
    assert_eq!(said["response"]["extra"], 1);
}

#[test]
fn the_id_is_the_requests_own_to_the_letter() {
    let mut voice = voice("2.1.332");
    for id in [r#""\u0061b""#, "7", "1.0e2", "null", r#"{"a": 1}"#] {
        let line = format!(
            r#"{{"type":"control_request","request_id":{id},"request":{{"subtype":"mcp_status"}}}}"#
        );
        let wanted = format!(
            "{{\"type\":\"control_response\",\"response\":{{\"subtype\":\"success\",\
             \"request_id\":{id},\"response\":{{\"mcpServers\":[]}}}}}}\n"
        );
        assert_eq!(out(&mut voice, &line), wanted);
    }
}

#[test]
fn a_permission_mode_is_set_told_of_and_used() {
    let mut voice = voice("2.1.332");
    let line = asking(&json!({"subtype": "set_permission_mode", "mode": "plan"}));
    let said = events(&out(&mut voice, &line));
    assert_eq!(said[0]["response"]["response"], json!({"mode": "plan"}));
    assert_eq!(
        (&said[1]["subtype"], &said[1]["permissionMode"]),
        (&json!("status"), &json!("plan"))
    );
    let turn = serde_json::from_str(r#"{"text":"a"}"#).unwrap();
    let user = br#"{"type":"user","message":{"role":"user","content":"hi"}}"#;
    let init = &events(&text(&voice.turn(&turn, Some(user))))[0];
    assert_eq!(init["permissionMode"], "plan");
    // An older version takes any mode, and says nothing of one that it does not know.
    let mut voice = super::voice("2.1.197");
    let line = asking(&json!({"subtype": "set_permission_mode", "mode": "bogus"}));
    assert_eq!(events(&out(&mut voice, &line)).len(), 1);
}

#[test]
fn asking_for_nothing_may_be_set_only_where_the_spawn_allows_it() {
    let request = json!({"subtype": "set_permission_mode", "mode": "bypassPermissions"});
    assert_eq!(answer(&mut voice("2.1.332"), request.clone())["error_code"], "bypass_not_launched");
    let mut options = options("2.1.332");
    options.bypass_allowed = true;
    let mut voice = ClaudeVoice::new(spawn("2.1.332"), options);
    let line = asking(&request);
    assert_eq!(events(&out(&mut voice, &line))[0]["response"]["subtype"], "success");
}

#[test]
fn a_model_is_shown_in_the_conversation_once_there_is_one() {
    let line = asking(&json!({"subtype": "set_model", "model": "sonnet"}));
    let user = r#"{"type":"user","message":{"role":"user","content":"hi"}}"#;
    let mut new = voice("2.1.332");
    assert_eq!(events(&out(&mut new, &line)).len(), 1);
    out(&mut new, user);
    let said = events(&out(&mut new, &line));
    let shown = "<local-command-stdout>Set model to `claude-sonnet-5-5`</local-command-stdout>";
    assert_eq!(said[0]["message"]["content"], shown);
    assert_eq!(said[1]["response"]["response"]["model"], "claude-sonnet-5-5");
    let said = events(&out(&mut voice("2.1.197"), &line));
    assert_eq!((said.len(), &said[0]["isReplay"]), (2, &json!(true)));
}

#[test]
fn a_server_that_the_client_plays_is_known() {
    let mut voice = voice("2.1.332");
    answer(&mut voice, json!({"subtype": "initialize", "sdkMcpServers": ["calc"]}));
    let said = answer(&mut voice, json!({"subtype": "mcp_status"}));
    assert_eq!(said["response"]["mcpServers"][0]["name"], "calc");
    let said = answer(&mut voice, json!({"subtype": "mcp_reconnect", "serverName": "calc"}));
    assert_eq!(said["subtype"], "success");
}

#[test]
fn the_session_ends_when_it_is_asked_to() {
    let line = asking(&json!({"subtype": "end_session"}));
    let Frame::Fatal { pieces, code } = voice("2.1.332").frame(line.as_bytes(), false) else {
        panic!("it goes on")
    };
    let done = "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"r\"}}\n";
    assert_eq!((pieces, code), (vec![Piece::Out(done.as_bytes().to_vec())], 0));
}
