use super::*;

fn bindings(pairs: &[(&str, &str)]) -> Bindings {
    Bindings::new(pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect())
}

fn applied(pairs: &[(&str, &str)], text: &str, json: bool) -> String {
    String::from_utf8(bindings(pairs).apply(text.as_bytes(), json).into_owned()).unwrap()
}

/// Feeds the text in chunks of the given size.
fn streamed(pairs: &[(&str, &str)], text: &str, json: bool, size: usize) -> String {
    let bindings = bindings(pairs);
    let mut stream = bindings.stream(json);
    let mut out = Vec::new();
    for chunk in text.as_bytes().chunks(size) {
        out.extend(stream.feed(chunk));
    }
    out.extend(stream.finish());
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn every_occurrence_is_replaced_also_inside_a_longer_path() {
    let text = r#"{"cwd":"/srv/demo","f":"/srv/demo/a.rs","g":"/srv/demo2","h":"/SRV/demo"}"#;
    assert_eq!(
        applied(&[("/srv/demo", "/home/me")], text, true),
        r#"{"cwd":"/home/me","f":"/home/me/a.rs","g":"/home/me2","h":"/SRV/demo"}"#
    );
}

#[test]
fn the_dashed_form_of_a_directory_stays() {
    let text = "/home/u/.claude/projects/-srv-demo/x.jsonl";
    assert_eq!(applied(&[("/srv/demo", "/tmp/x")], text, false), text);
}

#[test]
fn where_nothing_occurs_the_bytes_are_handed_back_as_they_are() {
    let bindings = bindings(&[("/srv/demo", "/tmp/x")]);
    assert!(matches!(bindings.apply(b"nothing here", true), Cow::Borrowed(b"nothing here")));
    assert!(matches!(Bindings::default().apply(b"x", false), Cow::Borrowed(b"x")));
}

#[test]
fn values_that_all_stay_as_they_are_cost_nothing() {
    assert!(bindings(&[("/srv/demo", "/srv/demo")]).is_empty());
}

#[test]
fn the_longest_value_wins_whatever_the_order_of_the_names() {
    let pairs = [("/home/u", "/root"), ("/home/u/demo", "/srv")];
    assert_eq!(applied(&pairs, "/home/u/demo/a /home/u/b", false), "/srv/a /root/b");
    let turned = [pairs[1], pairs[0]];
    assert_eq!(applied(&turned, "/home/u/demo/a /home/u/b", false), "/srv/a /root/b");
}

#[test]
fn a_value_that_stays_keeps_a_shorter_one_from_being_replaced_inside_it() {
    let pairs = [("/home/u", "/root"), ("/home/u/demo", "/home/u/demo")];
    assert_eq!(applied(&pairs, "/home/u/demo /home/u", false), "/home/u/demo /root");
}

#[test]
fn replaced_text_is_never_looked_at_again() {
    assert_eq!(applied(&[("aaaa", "bbbb"), ("bbbb", "aaaa")], "aaaa bbbb", false), "bbbb aaaa");
    assert_eq!(applied(&[("aaaa", "aaaaaaaa")], "aaaaaaaa", false), "aaaaaaaaaaaaaaaa");
}

#[test]
fn in_json_both_values_are_spelled_as_json() {
    let pairs = [("/srv/a \"b\"\\c", "/own/\t\"q\"\\")];
    assert_eq!(
        applied(&pairs, r#"{"cwd":"/srv/a \"b\"\\c/x"}"#, true),
        r#"{"cwd":"/own/\t\"q\"\\/x"}"#
    );
    assert_eq!(applied(&pairs, "at /srv/a \"b\"\\c.", false), "at /own/\t\"q\"\\.");
}

#[test]
fn the_replacement_is_spelled_as_the_occurrence_was() {
    let pairs = [("/srv/größe<1>", "/a/ü&")];
    assert_eq!(applied(&pairs, r#""\/srv\/größe<1>""#, true), r#""\/a\/ü&""#);
    assert_eq!(applied(&pairs, r#""/srv/gr\u00f6\u00dfe<1>""#, true), r#""/a/\u00fc&""#);
    assert_eq!(applied(&pairs, r#""/srv/gr\u00F6\u00DFe<1>""#, true), r#""/a/\u00FC&""#);
    assert_eq!(applied(&pairs, r#""/srv/größe\u003c1\u003e""#, true), r#""/a/ü\u0026""#);
    let emoji = [("/srv/🦀/x", "/own/🐚")];
    assert_eq!(applied(&emoji, r#""/srv/\ud83e\udd80/x""#, true), r#""/own/\ud83d\udc1a""#);
}

#[test]
fn a_value_is_not_found_inside_an_escape() {
    let pairs = [("name", "XXXX"), ("0041", "YYYY")];
    assert_eq!(applied(&pairs, r#""a\name \\name name""#, true), r#""a\name \\XXXX XXXX""#);
    assert_eq!(applied(&pairs, r#""\u0041 \\u0041 u0041""#, true), r#""\u0041 \\uYYYY uYYYY""#);
    // Raw text has no escapes.
    assert_eq!(applied(&pairs, r"\name \u0041", false), r"\XXXX \uYYYY");
}

#[test]
fn an_end_that_may_go_on_is_held_back_and_nothing_else() {
    let bindings = bindings(&[("/srv/demo", "/own"), ("/srv/demo/deep", "/d")]);
    let mut stream = bindings.stream(false);
    assert_eq!(stream.feed(b"plain text"), b"plain text");
    assert_eq!(stream.feed(b" in /srv/de"), b" in ");
    assert_eq!(stream.feed(b"mo"), b"");
    assert_eq!(stream.feed(b"/x"), b"/own/x");
    assert_eq!(stream.feed(b"/srv/demo/dee"), b"");
    assert_eq!(stream.feed(b"p"), b"/d");
    assert_eq!(stream.feed(b"/srv/demo"), b"");
    assert_eq!(stream.finish(), b"/own");
}

#[test]
fn a_stream_gives_the_same_whatever_its_chunks() {
    // A small generator over few letters makes overlaps and escapes frequent.
    let mut seed = 7u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % below
    };
    for round in 0..400 {
        let mut word = |len: u64| -> String {
            let pick = |n: u64| ['a', 'b', 'u', '\\', '/', '0'][n as usize];
            (0..len).map(|_| pick(random(6))).collect()
        };
        let values = [word(4), word(5), word(4 + round % 5), word(2)];
        let pairs = [
            (values[0].as_str(), "<1>"),
            (values[1].as_str(), "<\\>"),
            (values[2].as_str(), values[3].as_str()),
        ];
        let text = word(60 + round % 7);
        for json in [false, true] {
            let whole = applied(&pairs, &text, json);
            for size in [1, 2, 3, 7, 50] {
                assert_eq!(streamed(&pairs, &text, json, size), whole, "{pairs:?} {text:?}");
            }
        }
    }
}

#[test]
fn a_stream_of_backslashes_keeps_little() {
    let bindings = bindings(&[("name", "XXXX")]);
    let mut stream = bindings.stream(true);
    for _ in 0..100 {
        assert_eq!(stream.feed(&[b'\\'; 101]).len(), 101);
        assert!(stream.held.len() <= 6);
    }
    assert_eq!(stream.feed(b"name"), b"XXXX");
}
