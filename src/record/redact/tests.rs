use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const KEY: &str = "zq-Secret/value+77";

fn redactor() -> Redactor {
    let env = [
        ("ANTHROPIC_API_KEY", KEY),
        ("MAX_TOKENS", "123456789"),
        ("API_TOKEN", "1234567890"),
        ("USE_TOKEN", "true"),
        ("MY_SECRET", "short"),
        ("SIGN_KEY", "disabled"),
        ("PLAIN", "plain-value-1"),
    ];
    let people = People::new(Some("/home/jdoe"), &["jdoe".to_owned()], Some("lab7.corp.net"));
    Redactor::new(env.into_iter(), people, Vec::new(), Numbers::default())
}

fn redacted(text: &str) -> String {
    redactor().text(text)
}

#[test]
fn a_secret_of_the_environment_is_replaced_in_every_spelling() {
    let escaped: String = KEY.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
    let doubly = escaped.replace('\\', "\\\\");
    let percent = KEY.replace('/', "%2F").replace('+', "%2B");
    for spelling in [KEY, &KEY.replace('/', "\\/"), &escaped, &doubly, &percent] {
        let text = format!("{{\"text\":\"it is {spelling}, yes\"}}");
        assert_eq!(redacted(&text), "{\"text\":\"it is redacted-ANTHROPIC_API_KEY, yes\"}");
    }
}

#[test]
fn a_secret_in_base64_is_replaced_at_any_place_in_it() {
    for before in ["", "a", "me:", "user"] {
        let text = STANDARD.encode(format!("{before}{KEY}:tail"));
        let line = redacted(&format!("{{\"header\":\"x {text}\"}}"));
        assert_eq!(line, "{\"header\":\"x cmVkYWN0ZWQ=\"}", "{before}");
    }
    let basic = STANDARD.encode("someone:pass word");
    assert_eq!(
        redacted(&format!("Authorization: Basic {basic}")),
        format!("Authorization: Basic {BASIC}")
    );
    assert_eq!(redacted("a Basic knowledge of it"), "a Basic knowledge of it");
}

#[test]
fn tokens_keep_their_kind_and_one_value_has_one_number() {
    let mut redactor = redactor();
    let (one, two) = ("sk-ant-api03-abcdef012345", "ghp_abcdefghijklmnopqrstuvwxyz0123456789");
    let line = redactor.text(&format!("{one} {two} {one}"));
    assert_eq!(line, "sk-ant-redacted-1 ghp_redacted-2 sk-ant-redacted-1");
    assert_eq!(redactor.text(two), "ghp_redacted-2");
    let key = r#"{"access_token": "0pa9ue-and-l0ng", "apiKeySource":"ANTHROPIC_API_KEY"}"#;
    assert_eq!(
        redactor.text(key),
        r#"{"access_token": "redacted-3", "apiKeySource":"ANTHROPIC_API_KEY"}"#
    );
}

#[test]
fn people_and_machines_are_replaced_where_they_are_named() {
    for (text, wanted) in [
        ("in /home/jdoe/x and /home/jdoe.", "in /home/user/x and /home/user."),
        ("/home/jdoes/x", "/home/jdoes/x"),
        (r"{\/home\/jdoe\/x}", r"{/home/user\/x}"),
        ("projects/-home-jdoe-project/1", "projects/-home-user-project/1"),
        ("C:\\Users\\jdoe\\x", "C:\\Users\\user\\x"),
        ("jdoe@lab7:~$ ssh://lab7.corp.net/x", "user@host:~$ ssh://host/x"),
        ("jdoe is a word, so is lab7", "jdoe is a word, so is lab7"),
        (
            "Jane <jane.doe+x@corp.co.uk>, jane.doe+x@corp.co.uk.",
            "Jane <user1@example.com>, user1@example.com.",
        ),
        ("noreply@anthropic.com git@github.com:a/b", "noreply@anthropic.com git@github.com:a/b"),
        (
            "npm i left-pad@1.3.0 icon@2x.png @scope/pkg a@b",
            "npm i left-pad@1.3.0 icon@2x.png @scope/pkg a@b",
        ),
        ("me@example.com", "me@example.com"),
        (
            r#"{"t":"a\nx@y.org\u000ax@y.org%22x@y.org"}"#,
            r#"{"t":"a\nuser1@example.com\u000auser1@example.com%22user1@example.com"}"#,
        ),
    ] {
        assert_eq!(redacted(text), wanted);
    }
}

#[test]
fn ordinary_values_survive() {
    for text in [
        "123456789 1234567890 true short plain-value-1 disabledness",
        r#"{"session_id":"0b26c6e1-1111-4aaa-8bbb-000000000001","total_cost_usd":0.0123}"#,
        r#"{"id":"msg_01AbCdEfGhIjKlMnOpQrStUv","signature":"Eo8CCkYICBgCKkD/x+y=="}"#,
        "C:\\new\\table \\u00e9 100%25",
    ] {
        assert_eq!(redacted(text), text);
    }
}

#[test]
fn the_body_of_a_private_key_is_replaced_over_lines() {
    let mut redactor = redactor();
    let lines = [
        "-----BEGIN RSA PRIVATE KEY-----\n",
        "MIIEabc\n",
        "xyz\r\n",
        "-----END RSA PRIVATE KEY-----\n",
        "MIIEabc\n",
    ];
    let mut earlier = Earlier::default();
    let mut redact = |line: &&str| {
        let edits = redactor.edits(line.as_bytes(), &mut earlier);
        String::from_utf8(apply(line.as_bytes(), &edits)).unwrap()
    };
    let text: Vec<String> = lines.iter().map(&mut redact).collect();
    assert_eq!(text[1], "redacted\n");
    assert_eq!(text[2], "redacted\r\n");
    assert_eq!(text[4], "MIIEabc\n");
}

#[test]
fn what_was_replaced_is_no_leak() {
    let basic = STANDARD.encode("someone:pass word");
    let text = format!("{KEY} sk-ant-api03-abcdef012345 a@b.org Basic {basic}");
    assert_eq!(redactor().leaks(text.as_bytes()).len(), 4);
    assert_eq!(redactor().leaks(redacted(&text).as_bytes()), []);
}

#[test]
fn what_the_user_names_is_replaced() {
    let named = vec![("ticket".to_owned(), Regex::new("TCK-[0-9]+").unwrap())];
    let mut redactor =
        Redactor::new(std::iter::empty(), People::default(), named, Numbers::default());
    assert_eq!(
        redactor.text("TCK-12 TCK-9 TCK-12"),
        "redacted-ticket-1 redacted-ticket-2 redacted-ticket-1"
    );
}

#[test]
fn no_bytes_make_it_panic() {
    let pieces: [&[u8]; 9] = [
        b"\\u",
        b"\xff\xfe",
        b"%",
        b"@",
        b"\\ud800",
        b"Basic ",
        b"sk-ant-",
        b"\"api_key\":\"",
        b"\xc3",
    ];
    for a in pieces {
        for b in pieces {
            redactor().redact(&[a, b].concat().repeat(50));
        }
    }
}
