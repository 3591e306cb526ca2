//! What clients of live sessions ask for and send, beyond what the captured ones did: at other
//! times, and requests that no capture has.

use serde_json::{Value, json};

use crate::running::{Done, Running};
use crate::scene::Scene;

const CLAUDE: &[&str] =
    &["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];

fn lines(done: &Done) -> Vec<Value> {
    done.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn user(text: &str) -> String {
    let message = json!({"role": "user", "content": text});
    format!("{}\n", json!({"type": "user", "message": message}))
}

fn request(id: &str, request: Value) -> String {
    format!("{}\n", json!({"type": "control_request", "request_id": id, "request": request}))
}

fn interrupt() -> String {
    request("stop-it", json!({"subtype": "interrupt"}))
}

/// What became of each turn: the results of a claude session, in order.
fn results(done: &Done) -> Vec<String> {
    let is_result = |line: &&Value| line["type"] == "result";
    let text =
        |line: &Value| line["result"].as_str().or(line["subtype"].as_str()).map(str::to_owned);
    lines(done).iter().filter(is_result).map(|line| text(line).unwrap()).collect()
}

/// Answers to the request with this id.
fn answers(done: &Done, id: &str) -> usize {
    lines(done).iter().filter(|line| line["response"]["request_id"] == id).count()
}

fn session(steps: &[&str]) -> (Scene, Running) {
    let scene = Scene::of_steps(steps);
    let running = scene.claude(CLAUDE).talk();
    (scene, running)
}

#[test]
fn an_interrupt_right_behind_a_message_is_for_the_turn_that_the_message_begins() {
    let (_scene, mut running) = session(&[
        r#"{"turn":{"text":"half","stop":"interrupted"}}"#,
        r#"{"turn":{"text":"whole"}}"#,
        r#"{"turn":{"text":"half","stop":"interrupted"}}"#,
    ]);
    running.say(&(user("one") + &interrupt()));
    running.hear("error_during_execution");
    running.say(&user("two"));
    running.hear("whole");
    running.say(&(user("three") + &interrupt()));
    let done = running.end();
    let cut = "error_during_execution";
    assert_eq!(results(&done), [cut, "whole", cut], "{done:?}");
    assert_eq!(answers(&done, "stop-it"), 2);
}

#[test]
fn an_interrupt_right_behind_a_message_cuts_the_recorded_turn_short_too() {
    let out = |line: Value| format!("{line}\n");
    let id = "0000";
    let answer = json!({"subtype": "success", "request_id": "recorded", "response": {}});
    let scene = Scene::of_raw(
        [
            out(json!({"type": "system", "subtype": "init", "session_id": id})),
            out(json!({"type": "control_response", "response": answer})),
            out(json!({"type": "result", "subtype": "error_during_execution", "session_id": id})),
            out(json!({"type": "system", "subtype": "init", "session_id": id})),
            out(json!({"type": "result", "subtype": "success", "result": "whole"})),
        ]
        .concat(),
    );
    let mut running = scene.claude(CLAUDE).talk();
    running.say(&(user("one") + &interrupt()));
    running.hear("error_during_execution");
    // The turn that is left goes on with no interrupt: this one is answered, and that is all.
    running.say(&(user("two") + &interrupt()));
    let done = running.end();
    assert_eq!(results(&done), ["error_during_execution", "whole"], "{done:?}");
    assert_eq!(answers(&done, "stop-it"), 2);
}

#[test]
fn an_interrupt_that_a_recording_has_no_use_for_is_answered_all_the_same() {
    for steps in [
        &[r#"{"turn":{"text":"whole"}}"#][..],
        &[r#"{"in":{"type":"user"}}"#, r#"{"turn":{"text":"whole"}}"#],
        &[r#"{"in":{"type":"user"}}"#, r#"{"out":{"type":"result","result":"whole"}}"#],
    ] {
        let (_scene, mut running) = session(steps);
        running.say(&(user("one") + &interrupt()));
        running.hear("stop-it");
        let done = running.end();
        assert_eq!(results(&done), ["whole"], "{steps:?}: {done:?}");
        assert_eq!(answers(&done, "stop-it"), 1);
    }
}

#[test]
fn a_claude_session_answers_what_its_clients_can_ask_besides() {
    let (_scene, mut running) =
        session(&[r#"{"turn":{"text":"one"}}"#, r#"{"turn":{"text":"two"}}"#]);
    let greeting = json!({"subtype": "initialize", "sdkMcpServers": ["calc"]});
    let set = |servers: Value| json!({"subtype": "mcp_set_servers", "servers": servers});
    running.say(&request("greeting", greeting));
    running.say(&user("one"));
    running.hear("\"one\"");
    running
        .say(&request("set-1", set(json!({"here": {"type": "sdk"}, "there": {"command": "x"}}))));
    running.say(&request("set-2", set(json!({"there": {"command": "x"}}))));
    running.say(&request("status", json!({"subtype": "mcp_status"})));
    for subtype in ["reload_plugins", "get_usage", "seed_read_state", "background_tasks"] {
        running.say(&request(subtype, json!({"subtype": subtype})));
    }
    running.say(&request("gone", json!({"subtype": "mcp_read_resource", "serverName": "here"})));
    running.say(&user("two"));
    let done = running.end();
    let lines = lines(&done);
    let answer = |id: &str| {
        let mut found = lines.iter().filter(|line| line["response"]["request_id"] == id);
        found.next().unwrap_or_else(|| panic!("{id}: {done:?}"))["response"].clone()
    };
    let changes =
        |added: Value, removed: Value| json!({"added": added, "removed": removed, "errors": {}});
    assert_eq!(answer("set-1")["response"], changes(json!(["here", "there"]), json!([])));
    assert_eq!(answer("set-2")["response"], changes(json!([]), json!(["here"])));
    let connected = |name: &str| json!({"name": name, "status": "connected"});
    let status = json!([connected("calc"), connected("there")]);
    assert_eq!(answer("status")["response"]["mcpServers"], status);
    assert!(answer("reload_plugins")["response"]["commands"][0]["name"].is_string());
    assert!(answer("get_usage")["response"]["session"].is_object());
    assert_eq!(answer("background_tasks")["response"], json!({"backgrounded": false}));
    assert_eq!(
        answer("seed_read_state"),
        json!({"subtype": "success", "request_id": "seed_read_state"})
    );
    assert_eq!(answer("gone")["error"], "Server not found: here");
    let inits = lines.iter().filter(|line| line["subtype"] == "init");
    let servers = |line: &Value| {
        let names = line["mcp_servers"].as_array().unwrap().iter();
        names.map(|server| server["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let servers: Vec<Vec<String>> = inits.map(servers).collect();
    assert_eq!(servers, [vec!["calc"], vec!["calc", "there"]]);
}

/// A client of `codex app-server`: sends requests and gives back their answers, by method.
fn app_server(scene: &Scene, requests: &[(&str, Value)]) -> Vec<Value> {
    let mut input = String::new();
    let greeting = ("initialize", json!({"clientInfo": {"name": "c", "version": "1"}}));
    for (id, (method, params)) in [&[greeting], requests].concat().iter().enumerate() {
        input += &format!("{}\n", json!({"id": id, "method": method, "params": params}));
    }
    let done = scene.codex(&["app-server"]).input(input).run();
    let lines = lines(&done);
    let answer = |id: usize| {
        let mut found = lines.iter().filter(|line| line["id"] == id && line["method"].is_null());
        let answer = found.next().unwrap_or_else(|| panic!("{:?}: {done:?}", requests[id - 1]));
        assert_eq!(answer["error"], Value::Null, "{:?}", requests[id - 1]);
        answer["result"].clone()
    };
    (1..=requests.len()).map(answer).collect()
}

/// A request with the thread that the session opened first.
fn first_thread(scene: &Scene) -> String {
    let answers = app_server(scene, &[("thread/start", json!({}))]);
    answers[0]["thread"]["id"].as_str().unwrap().to_owned()
}

#[test]
fn an_app_server_lists_its_threads_and_takes_them_out_of_the_archive() {
    let scene = Scene::of_steps(&[r#"{"turn":{"text":"one"}}"#]);
    let id = first_thread(&Scene::of_steps(&[r#"{"turn":{"text":"one"}}"#]));
    let thread = json!({"threadId": id});
    let answers = app_server(
        &scene,
        &[
            ("thread/start", json!({})),
            ("thread/list", json!({})),
            ("thread/loaded/list", json!({})),
            ("thread/archive", thread.clone()),
            ("thread/list", json!({})),
            ("thread/list", json!({"archived": true})),
            ("thread/unarchive", thread.clone()),
            ("thread/goal/get", thread.clone()),
            ("thread/goal/set", json!({"threadId": id, "objective": "all green"})),
            ("thread/goal/clear", thread),
        ],
    );
    assert_eq!(answers[0]["thread"]["id"], *id);
    assert_eq!(answers[1]["data"][0]["id"], *id);
    assert_eq!(answers[2]["data"], json!([id]));
    assert_eq!(answers[4]["data"], json!([]));
    assert_eq!(answers[5]["data"][0]["id"], *id);
    assert_eq!(answers[6]["thread"]["id"], *id);
    assert_eq!(answers[7]["goal"], Value::Null);
    let goal = &answers[8]["goal"];
    assert_eq!(
        [&goal["threadId"], &goal["objective"], &goal["status"]],
        [&json!(id), &json!("all green"), &json!("active")]
    );
    assert_eq!(answers[9], json!({"cleared": true}));
}

#[test]
fn an_app_server_answers_with_the_keys_that_typed_clients_demand() {
    let wanted: &[(&str, Value, &[&str])] = &[
        ("account/login/start", json!({"type": "apiKey", "apiKey": "k"}), &["type"]),
        ("account/login/start", json!({"type": "chatgpt"}), &["type", "loginId", "authUrl"]),
        ("account/login/cancel", json!({"loginId": "x"}), &["status"]),
        ("plugin/list", json!({}), &["marketplaces"]),
        ("config/value/write", json!({}), &["status", "version", "filePath"]),
        ("fs/readFile", json!({"path": "/x"}), &["dataBase64"]),
        ("fs/watch", json!({"path": "/a\""}), &["path"]),
        ("modelProvider/capabilities/read", json!({}), &["imageGeneration", "webSearch"]),
        ("mcpServerStatus/list", json!({}), &["data"]),
    ];
    let requests: Vec<(&str, Value)> =
        wanted.iter().map(|(method, params, _)| (*method, params.clone())).collect();
    let answers = app_server(&Scene::of_steps(&[r#"{"turn":{"text":"one"}}"#]), &requests);
    for ((method, _, keys), answer) in wanted.iter().zip(&answers) {
        for key in *keys {
            assert!(!answer[key].is_null(), "{method}: {answer}");
        }
    }
    assert_eq!(answers[6]["path"], "/a\"");
}
