//! What goes out: bytes, streams, their order, the pieces they come in.

use crate::scene::Scene;

/// Every byte there is, twice, without a newline at the end.
fn all_bytes() -> Vec<u8> {
    (0..=255u8).chain((0..=255).rev()).collect()
}

#[test]
fn a_raw_recording_is_played_to_the_last_byte() {
    let shapes: [&[u8]; 6] = [
        b"{\"type\":\"system\"}\n{\"type\":\"result\"}\n",
        b"no newline at the end",
        b"\r\n\r\n\0\0{broken json\n",
        b"\xff\xfe\x80",
        b"{\"ringers\":1}\n",
        &all_bytes(),
    ];
    for bytes in shapes {
        Scene::of_raw(bytes).play().is(bytes, "", 0);
    }
}

#[test]
fn an_empty_raw_recording_is_silence() {
    Scene::of_raw("").play().is("", "", 0);
}

#[test]
fn a_raw_recording_larger_than_any_buffer_comes_whole() {
    let bytes = all_bytes().repeat(4000);
    let done = Scene::of_raw(&bytes).play();
    assert!(done.stdout == bytes, "{} of {} bytes", done.stdout.len(), bytes.len());
}

#[test]
fn a_string_is_written_verbatim_and_any_other_value_as_its_own_source_on_one_line() {
    let scene = Scene::of_steps(&[
        r#"{"out":"no newline, \u00e9 \ud83d\ude00 \u0000"}"#,
        r#"{"out": { "b" : 1.0 ,"a":1e5, "a":"\u0041\/", "n":12345678901234567890123 } }"#,
        r#"{"out":[ 1,  2]}"#,
        r#"{"out":null}"#,
        r#"{"out":false}"#,
        r#"{"out":""}"#,
    ]);
    let source = r#"{ "b" : 1.0 ,"a":1e5, "a":"\u0041\/", "n":12345678901234567890123 }"#;
    let wanted = format!("no newline, é \u{1f600} \0{source}\n[ 1,  2]\nnull\nfalse\n");
    scene.play().is(wanted, "", 0);
}

#[test]
fn stderr_stands_where_the_recording_has_it() {
    let scene = Scene::of_steps(&[
        r#"{"out":"a"}"#,
        r#"{"err":"B"}"#,
        r#"{"out":"c"}"#,
        r#"{"err":{"d":1}}"#,
        r#"{"err_base64":"/w=="}"#,
        r#"{"out":"e\n"}"#,
        r#"{"err_fill":{"text":"F","times":3}}"#,
        r#"{"out":"g"}"#,
    ]);
    scene.steps("02.jsonl", "{\"ringer\":1}", &["{\"err_file\":\"note.txt\"}", "{\"out\":\"i\"}"]);
    scene.raw("note.txt", "H");
    assert_eq!(scene.claude(&["-p", "hi"]).run_merged().stdout, b"aBc{\"d\":1}\n\xffe\nFFFg");
    assert_eq!(scene.claude(&["-p", "hi"]).run_merged().stdout, b"Hi");
}

#[test]
fn bytes_files_and_fills_come_out_as_given() {
    let scene = Scene::new();
    let steps = [
        r#"{"out_base64":"AP+ACg=="}"#,
        r#"{"out_file":"data/big.bin"}"#,
        r#"{"out_fill":{"text":"é\n","times":100000}}"#,
        r#"{"out_fill":{"text":"never","times":0}}"#,
    ];
    scene.steps("claude/01.jsonl", "{\"ringer\":1}", &steps);
    let big = all_bytes().repeat(700);
    scene.raw("claude/data/big.bin", &big);
    let wanted = [b"\0\xff\x80\n".as_slice(), &big, "é\n".repeat(100_000).as_bytes()].concat();
    let done = scene.play();
    assert!(done.stdout == wanted, "{done:?}");
}

#[test]
fn a_step_is_one_write() {
    let line = "x".repeat(30_000);
    let scene = Scene::of_steps(&[
        &format!("{{\"out\":\"{line}\"}}"),
        r#"{"in":"line"}"#,
        r#"{"out":{"a":1}}"#,
        r#"{"in":"line"}"#,
    ]);
    let mut running = scene.claude(&["-p", "hi"]).talk();
    assert_eq!(running.piece().len(), 30_000);
    running.say("on\n");
    assert_eq!(running.piece(), b"{\"a\":1}\n");
}

#[test]
fn split_cuts_a_step_at_its_byte_offsets_with_a_gap_between() {
    let scene = Scene::of_steps(&[r#"{"out":"héllo world","split":[2,6,99],"gap_ms":500}"#]);
    let mut running = scene.claude(&["-p", "hi"]).go();
    // The first cut goes through the two bytes of a character.
    assert_eq!(running.piece(), b"h\xc3");
    assert_eq!(running.piece(), b"\xa9llo");
    assert_eq!(running.piece(), b" world");
    running.end().is("héllo world", "", 0);
}

#[test]
fn a_gap_lasts_as_long_as_written_and_shrinks_with_the_speed() {
    for (speed, gap, least, most) in [("0", 100, 300, 30_000), ("10", 1000, 300, 3000)] {
        let step = format!("{{\"out\":\"abcd\",\"split\":[1,2,3],\"gap_ms\":{gap}}}");
        let scene = Scene::of_steps(&[&step]);
        scene.claude(&["-p", "hi"]).env("RINGER_SPEED", speed).run().is("abcd", "", 0);
        let wall = scene.entry(1)["wall_ms"].as_u64().unwrap();
        assert!((least..most).contains(&wall), "{wall} ms at speed {speed}");
    }
}

#[test]
fn the_other_out_and_err_steps_can_be_split_too() {
    let scene = Scene::of_steps(&[
        r#"{"out_fill":{"text":"ab","times":2},"split":[3],"gap_ms":500}"#,
        r#"{"in":"line"}"#,
        r#"{"out_base64":"AAEC","split":[1],"gap_ms":500}"#,
        r#"{"in":"line"}"#,
        r#"{"out":[1,2],"split":[2],"gap_ms":500}"#,
    ]);
    let mut running = scene.claude(&["-p", "hi"]).talk();
    assert_eq!([running.piece(), running.piece()], [b"aba".to_vec(), b"b".to_vec()]);
    running.say("on\n");
    assert_eq!([running.piece(), running.piece()], [b"\0".to_vec(), b"\x01\x02".to_vec()]);
    running.say("on\n");
    assert_eq!([running.piece(), running.piece()], [b"[1".to_vec(), b",2]\n".to_vec()]);
}

#[test]
fn more_holds_a_step_back_to_leave_in_one_write_with_the_next() {
    let scene = Scene::of_steps(&[
        r#"{"out":"one ","more":true}"#,
        r#"{"err":"E"}"#,
        r#"{"wait_ms":500}"#,
        r#"{"out":"two ","more":true}"#,
        r#"{"out":"three"}"#,
        r#"{"wait_ms":500}"#,
        r#"{"out":"last","more":true}"#,
    ]);
    let mut running = scene.claude(&["-p", "hi"]).go();
    assert_eq!(running.piece(), b"one two three");
    // Nothing stays behind at the end.
    running.end().is("one two threelast", "E", 0);
}

#[test]
fn what_more_holds_back_goes_out_before_an_exit() {
    let scene = Scene::of_steps(&[r#"{"out":"held","more":true}"#, r#"{"exit":4}"#]);
    scene.play().is("held", "", 4);
}

#[test]
fn an_out_file_never_leads_out_of_the_recording_directory() {
    let scene = Scene::new();
    std::fs::write(scene.path("secret.txt"), "secret").unwrap();
    for file in ["../../secret.txt", "/etc/passwd", "a/../../../secret.txt", "link.txt", "up/x"] {
        let step = format!("{{\"out_file\":\"{file}\"}}");
        scene.steps("claude/01.jsonl", "{\"ringer\":1}", &[&step]);
        let link = scene.recordings().join("claude/link.txt");
        let _ = std::os::unix::fs::symlink(scene.path("secret.txt"), link);
        let _ = std::os::unix::fs::symlink(scene.path(""), scene.recordings().join("claude/up"));
        std::fs::write(scene.path("x"), "secret").unwrap();
        let _ = std::fs::remove_dir_all(scene.state());
        let done = scene.play();
        done.is_refused("claude");
        assert!(done.err().contains("claude/01.jsonl: line 2: "), "{file}: {done:?}");
        assert_eq!(scene.entry(1).problems(), ["unreadable"], "{file}");
    }
}

#[test]
fn a_missing_out_file_is_found_before_the_first_byte_goes_out() {
    let scene = Scene::of_steps(&[r#"{"out":"first"}"#, r#"{"out_file":"gone.txt"}"#]);
    let done = scene.play();
    done.is_refused("claude");
    assert!(done.err().contains("01.jsonl: line 3: "), "{done:?}");
    assert!(done.err().contains("gone.txt"), "{done:?}");
}
