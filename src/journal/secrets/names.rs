//! Which names of variables, options and keys look like those of secrets, and which of their
//! values are worth hiding.

/// What a word in a name says of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Nothing,
    /// It is a secret, wherever in the name the word stands.
    Secret,
    /// It is one if the word is the last: `SSH_AUTH_SOCK` and `AUTH_MODE` hold none.
    SecretIfLast,
    /// It is one if the word is the last of several: `PWD` is a directory.
    SecretIfLastOfSeveral,
}

/// The longest of the words below.
const LONGEST: usize = 13;

fn says(word: &str) -> Says {
    let mut small = [0; LONGEST];
    let Some(small) = small.get_mut(..word.len()) else { return ending(word) };
    small.copy_from_slice(word.as_bytes());
    small.make_ascii_lowercase();
    match &*small {
        b"key" | b"keys" | b"token" | b"secret" | b"secrets" | b"password" | b"passwords"
        | b"passwd" | b"passphrase" | b"passcode" | b"credential" | b"credentials" | b"creds"
        | b"authorization" | b"bearer" => Says::Secret,
        b"auth" | b"cookie" => Says::SecretIfLast,
        b"pass" | b"pwd" | b"pat" => Says::SecretIfLastOfSeveral,
        _ => ending(word),
    }
}

/// Words that are often written as one: `PGPASSWORD`, `apikey`.
fn ending(word: &str) -> Says {
    const ENDINGS: [&str; 9] = [
        "password",
        "passwd",
        "passphrase",
        "apikey",
        "accesskey",
        "secretkey",
        "privatekey",
        "authtoken",
        "accesstoken",
    ];
    let ends = |end: &str| {
        let start = word.len().checked_sub(end.len());
        let tail = start.and_then(|start| word.get(start..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    };
    // Most words are done with at a glance.
    let glance = word.len() > 5
        && matches!(
            word.as_bytes().last(),
            Some(b'd' | b'e' | b'n' | b'y' | b'D' | b'E' | b'N' | b'Y')
        );
    if glance && ENDINGS.iter().any(|end| ends(end)) { Says::Secret } else { Says::Nothing }
}

/// Whether a name looks like that of a secret: it has `KEY`, `TOKEN`, `SECRET`, `PASSWORD` or the
/// like as a whole word. Words are told apart as `SNAKE_CASE`, `kebab-case` and `camelCase` do it.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let mut last = Says::Nothing;
    let mut count = 0;
    for word in words(name) {
        last = says(word);
        if last == Says::Secret {
            return true;
        }
        count += 1;
    }
    last == Says::SecretIfLast || count > 1 && last == Says::SecretIfLastOfSeveral
}

/// Whether a name is `key` and nothing more, which in code and data is anything but a secret's.
pub(super) fn is_bare_key(name: &str) -> bool {
    name.eq_ignore_ascii_case("key") || name.eq_ignore_ascii_case("keys")
}

/// Whether a value of a secret-looking name is one to hide: eight characters and more, and not a
/// number. (No boolean is that long.) Neither is a mere reference to a variable, be it `${NAME}`
/// or the name alone where the option asks for one (`--token-env NAME`), nor what is hidden
/// already.
pub(super) fn is_worth_hiding(name: &str, value: &str) -> bool {
    value.len() >= 8
        && value.chars().nth(7).is_some()
        && !is_number(value)
        && !(value.starts_with("${") && value.ends_with('}'))
        && value != super::PLACEHOLDER
        && !(is_variable_name(value) && words(name).any(|word| word.eq_ignore_ascii_case("env")))
}

/// A plain number. What has an exponent, or more digits than a number of 64 bits, may well be a
/// key in hexadecimal.
fn is_number(value: &str) -> bool {
    let digits = value.strip_prefix(['-', '+']).unwrap_or(value);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    digits.len() <= 21 && all_digits(whole) && all_digits(fraction)
}

fn is_variable_name(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Splits a name at what is neither letter nor digit, between letters and digits, before a capital
/// after a small letter (`apiKey`), and before the last capital of several (`APIKey`).
fn words(name: &str) -> impl Iterator<Item = &str> {
    let bytes = name.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while bytes.get(at).is_some_and(|byte| !byte.is_ascii_alphanumeric()) {
            at += 1;
        }
        let start = at;
        bytes.get(start)?;
        at += 1;
        while at < bytes.len() && !is_border(bytes, at) {
            at += 1;
        }
        // Letters and digits of ASCII on both sides: never within a character.
        name.get(start..at)
    })
}

/// Whether a word ends before `at`, which is not the first of a word.
fn is_border(bytes: &[u8], at: usize) -> bool {
    let (before, here) = (bytes[at - 1], bytes[at]);
    !here.is_ascii_alphanumeric()
        || before.is_ascii_digit() != here.is_ascii_digit()
        || here.is_ascii_uppercase()
            && (before.is_ascii_lowercase()
                || bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_word_counts_wherever_it_is_a_whole_word() {
        for name in [
            "ANTHROPIC_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "MY_SECRET_PLACE",
            "MyApp_Password",
            "npm_config_token",
            "apiKey",
            "APIKey",
            "api-key",
            "TOKEN",
            "x.token",
            "KEY_BINDINGS",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "Authorization",
            "X-Api-Key",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "PUBLIC_KEY_PATH",
            "API_KEY2",
            "API_KEYS",
            "PGPASSWORD",
            "apikey",
            "OPENAIAPIKEY",
            "DB_PASS",
            "MYSQL_PWD",
            "GITHUB_PAT",
            "NPM_CONFIG__AUTH",
            "REDISCLI_AUTH",
            "oauth2Token",
            "SESSION_COOKIE",
            "clientSecret",
            "schlüsselKey",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn a_secret_word_inside_another_does_not_count() {
        for name in [
            "",
            "_",
            "MAX_TOKENS",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
            "MONKEY",
            "KEYBOARD",
            "TOKENIZERS_PARALLELISM",
            "SSH_AUTH_SOCK",
            "GIT_AUTHOR_NAME",
            "PWD",
            "OLDPWD",
            "PATH",
            "AUTH_MODE",
            "COMPASS",
            "BYPASS",
            "PASS_THROUGH",
            "XAUTHORITY",
            "model",
            "KEYRING",
            "PATTERN",
            "SECRETARY",
            "DBUS_SESSION_BUS_ADDRESS",
            "größe",
            "INIT_CWD",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn short_values_numbers_and_references_are_not_hidden() {
        for value in ["", "1234567", "äöüäöüä", "12345678", "-1234567.5", "${API_KEY}", "true"]
        {
            assert!(!is_worth_hiding("API_KEY", value), "{value}");
        }
        for value in ["abcdefgh", "äöüäöüäö", "12345678e9", "0000000000000000000000", "1.2.3.4.5"]
        {
            assert!(is_worth_hiding("API_KEY", value), "{value}");
        }
        assert!(!is_worth_hiding("--token-env", "MY_TOKEN_NAME"));
        assert!(is_worth_hiding("--token", "MY_TOKEN_NAME"));
    }
}
