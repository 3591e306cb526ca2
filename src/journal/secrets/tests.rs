use super::*;

const SALT: &str = "0123456789abcdef";

fn masker() -> Masker {
    Masker::new(SALT, EnvMode::Masked)
}

fn argv(args: &[&str]) -> Vec<String> {
    masker().argv(args).into_iter().map(Cow::into_owned).collect()
}

#[test]
fn a_secret_variable_is_masked_and_can_be_asked_about() {
    let mut masker = masker();
    assert_eq!(masker.env("ANTHROPIC_API_KEY", "zq0123456789").unwrap(), "[masked]");
    assert_eq!(masker.env("PLAIN_SETTING", "plain-value-77").unwrap(), "plain-value-77");
    assert_eq!(masker.env("MAX_TOKENS", "123456789").unwrap(), "123456789");
    assert_eq!(masker.env("API_KEY", "short").unwrap(), "short");
    let masked = masker.into_masked().unwrap();
    assert_eq!(masked.env["ANTHROPIC_API_KEY"].length, 12);
    assert_eq!(masked.env_equals("ANTHROPIC_API_KEY", "zq0123456789"), Some(true));
    assert_eq!(masked.env_equals("ANTHROPIC_API_KEY", "zq012345678"), Some(false));
    assert_eq!(masked.env_equals("PLAIN_SETTING", "plain-value-77"), None);
}

#[test]
fn a_variable_with_a_secret_in_its_text_keeps_the_rest_and_answers_for_the_whole() {
    let mut masker = masker();
    let url = "postgres://me:made-up-1@host/db";
    assert_eq!(masker.env("DATABASE_URL", url).unwrap(), "postgres://me:[masked]@host/db");
    let headers = "X-Api-Key: made-up-1\nAuthorization: Bearer made-up-2";
    assert_eq!(
        masker.env("ANTHROPIC_CUSTOM_HEADERS", headers).unwrap(),
        "X-Api-Key: [masked]\nAuthorization: Bearer [masked]"
    );
    assert_eq!(masker.masked().unwrap().env_equals("DATABASE_URL", url), Some(true));
}

#[test]
fn the_modes_keep_names_only_or_everything() {
    let mut names = Masker::new(SALT, EnvMode::Names);
    assert_eq!(names.env("API_KEY", "made-up-value"), None);
    assert_eq!(names.env("LANG", "C"), None);
    assert_eq!(names.masked().unwrap().env_equals("API_KEY", "made-up-value"), Some(true));
    let mut all = Masker::new(SALT, EnvMode::All);
    assert_eq!(all.env("API_KEY", "made-up-value").unwrap(), "made-up-value");
    assert_eq!(all.argv(&["--api-key=made-up-value"]), ["--api-key=[masked]"]);
}

#[test]
fn the_values_of_secret_options_are_masked_and_nothing_else() {
    for (args, wanted) in [
        (&["--api-key=made-up-value-1"][..], &["--api-key=[masked]"][..]),
        (&["--token", "made-up-value", "-p", "hello"], &["--token", "[masked]", "-p", "hello"]),
        (&["-token", "made-up-value"], &["-token", "[masked]"]),
        (&["--api_key=a b=c d e f"], &["--api_key=[masked]"]),
        (&["--openai-api-key", "-made-up-value"], &["--openai-api-key", "[masked]"]),
        (
            &["--with-api-key", "--output-format", "json-lines"],
            &["--with-api-key", "--output-format", "json-lines"],
        ),
        (&["--with-api-key", "-c", "made-up-value"], &["--with-api-key", "-c", "made-up-value"]),
        (
            &["--remote-auth-token-env", "MY_TOKEN_VAR"],
            &["--remote-auth-token-env", "MY_TOKEN_VAR"],
        ),
        (&["--max-thinking-tokens", "made-up-value"], &["--max-thinking-tokens", "made-up-value"]),
        (
            &["--header", "Authorization: Bearer made-up-1"],
            &["--header", "Authorization: Bearer [masked]"],
        ),
        (&["--header=X-Api-Key: made-up-1"], &["--header=X-Api-Key: [masked]"]),
        (&["--config=x.api_key=made-up-value"], &["--config=x.api_key=[masked]"]),
        (&["--authorization=Bearer made-up-value"], &["--authorization=Bearer [masked]"]),
        (&["-c", "x.y.api_key=\"made-up-value\""], &["-c", "x.y.api_key=\"[masked]\""]),
        (&["-e", "API_KEY=made-up-value"], &["-e", "API_KEY=[masked]"]),
        (&["--key"], &["--key"]),
        (&["--", "-", "--=", "=", "-=x", ""], &["--", "-", "--=", "=", "-=x", ""]),
    ] {
        assert_eq!(argv(args), wanted);
    }
}

#[test]
fn json_in_an_argument_keeps_all_but_the_secrets() {
    let settings = r#"{"env":{"ANTHROPIC_API_KEY":"made-up-value","LANG":"C"},"model":"x"}"#;
    assert_eq!(
        argv(&["--settings", settings])[1],
        r#"{"env":{"ANTHROPIC_API_KEY":"[masked]","LANG":"C"},"model":"x"}"#
    );
    let config = r#"--mcp-config={"h":{"Authorization": "Bearer made-up-1"}, "u":"http://x/"}"#;
    assert_eq!(
        argv(&[config])[0],
        r#"--mcp-config={"h":{"Authorization": "Bearer [masked]"}, "u":"http://x/"}"#
    );
}

#[test]
fn what_was_masked_in_arguments_is_listed_by_index_and_order() {
    let mut masker = masker();
    let args = ["claude", "A_KEY=made-up-1", r#"{"a_key":"made-up-2","b_key":"made-up-33"}"#];
    masker.argv(&args);
    masker.argv(&args);
    let masked = masker.into_masked().unwrap();
    let listed: Vec<_> = masked.argv.iter().map(|hidden| (hidden.index, hidden.length)).collect();
    assert_eq!(listed, [(1, 9), (2, 9), (2, 10)]);
    assert_eq!(masked.argv[1].hash, hide(SALT, "made-up-2").hash);
}

#[test]
fn tokens_in_stdin_are_masked_and_names_there_mean_nothing() {
    let mut masker = masker();
    let token = format!("sk-ant-api03-{}", "zq01".repeat(16));
    let text = format!("my key is {token}, keep the rest\npassword=\"hunter2hunter2\"");
    assert_eq!(
        masker.text(&text),
        "my key is [masked], keep the rest\npassword=\"hunter2hunter2\""
    );
    assert_eq!(masker.masked().unwrap().stdin, [hide(SALT, &token)]);
    assert_eq!(masker.text("plain"), "plain");
    assert_eq!(masker.into_masked(), None);
    assert_eq!(without_tokens(&format!("{{\"k\":\"{token}\"}}")), "{\"k\":\"[masked]\"}");
}

#[test]
fn masked_text_is_not_masked_again() {
    let once = argv(&["--api-key=made-up-value", "x_key='made-up-value'"]);
    assert_eq!(argv(&[&once[0], &once[1]]), once);
}

#[test]
fn the_entry_lists_what_was_masked_with_salt_length_and_hash() {
    let mut masker = masker();
    masker.env("API_KEY", "made-up-välue");
    masker.argv(&["--api-key=made-up-1"]);
    let masked = masker.into_masked().unwrap();
    let json = serde_json::to_string(&masked).unwrap();
    assert_eq!(
        json,
        r#"{"salt":"0123456789abcdef","env":{"API_KEY":{"length":13,"hash":"ENV"}},"argv":[{"index":0,"length":9,"hash":"ARG"}]}"#
            .replace("ENV", &hide(SALT, "made-up-välue").hash)
            .replace("ARG", &hide(SALT, "made-up-1").hash)
    );
    assert_eq!(serde_json::from_str::<Masked>(&json).unwrap(), masked);
    // SHA-256 of the salt and the value, as `sha256sum` has it.
    assert_eq!(hide(SALT, "made-up-1").hash, "1ea43669f729a189c241526801ed39d4");
}

#[test]
fn no_text_makes_it_panic_or_costs_more_than_its_length() {
    let pieces = [
        "sk-",
        "eyJ",
        "=\"",
        "\\",
        "\"",
        "'",
        ":",
        "a=",
        "://",
        "Bearer ",
        "-----BEGIN PRIVATE KEY-----",
        "-",
        "key=",
        "\"key\":\"",
        "token:'",
        "é=",
        "\\u",
        "%",
        "AKIA",
        "://a:",
        "@",
        " ",
        "x_key = ",
        "sk-a1sk-",
        "eyJaaaaaaaaaaaaaaaaaaa.",
    ];
    let started = std::time::Instant::now();
    for a in pieces {
        for b in pieces {
            let text = format!("{a}{b}").repeat(12_000 / (a.len() + b.len()));
            masker().argv(&[&text]);
            masker().text(&text);
        }
    }
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn a_value_of_a_secret_option_is_nowhere_in_the_arguments() {
    let value = "zq0123456789abcdef01";
    for shape in [
        &["--api-key={}"][..],
        &["--api-key", "{}"],
        &["--token={}"],
        &["--auth-token", "{}"],
        &["--password={}"],
        &["--client-secret={}"],
        &["--api_key={}"],
        &["--openai-api-key", "{}"],
    ] {
        let mut args = vec!["claude".to_owned(), "-p".to_owned(), "keep-this-word".to_owned()];
        args.extend(shape.iter().map(|arg| arg.replace("{}", value)));
        args.extend(["--output-format".to_owned(), "stream-json".to_owned()]);
        let texts = masker().argv(&args).into_iter().map(Cow::into_owned).collect::<Vec<_>>();
        assert!(!texts.join(" ").contains(value), "{shape:?}");
        let wanted: Vec<_> = args.iter().map(|arg| arg.replace(value, PLACEHOLDER)).collect();
        assert_eq!(texts, wanted);
    }
}
