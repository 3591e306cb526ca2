//! Tokens that are known by their shape, in any text.
//!
//! Every scan is one pass. Shapes are looked for only in runs of token characters that are long
//! enough to be one, and at the beginning of a word in them, so that `task-...` is no `sk-...`.

use std::ops::Range;

use memchr::memmem;

/// The least length of a run of token characters that is looked at.
const LEAST: usize = 16;

/// How far into a token its look is judged, so that the cost of a judgement is bounded.
const JUDGED: usize = 256;

/// A kind of token with a prefix of its own.
struct Shape {
    prefix: &'static str,
    /// The least length of what follows the prefix.
    rest: usize,
    /// How many letters and digits there must be in a row, with at least one of each; 0: none. For
    /// prefixes that ordinary words have too.
    row: usize,
}

const fn shape(prefix: &'static str, rest: usize, row: usize) -> Shape {
    Shape { prefix, rest, row }
}

const SHAPES: [Shape; 31] = [
    shape("sk-ant-", 9, 0),
    shape("sk-proj-", 8, 0),
    shape("sk-svcacct-", 8, 0),
    shape("sk-admin-", 8, 0),
    shape("sk-", 16, 12),
    shape("ghp_", 16, 0),
    shape("gho_", 16, 0),
    shape("ghu_", 16, 0),
    shape("ghs_", 16, 0),
    shape("ghr_", 16, 0),
    shape("github_pat_", 16, 0),
    shape("glpat-", 12, 0),
    shape("xoxa-", 12, 0),
    shape("xoxb-", 12, 0),
    shape("xoxe-", 12, 0),
    shape("xoxp-", 12, 0),
    shape("xoxr-", 12, 0),
    shape("xoxs-", 12, 0),
    shape("xapp-", 12, 0),
    shape("AIza", 30, 0),
    shape("npm_", 30, 20),
    shape("hf_", 20, 20),
    shape("gsk_", 30, 20),
    shape("xai-", 30, 20),
    shape("r8_", 30, 20),
    shape("pypi-AgE", 16, 0),
    shape("sk_live_", 16, 10),
    shape("sk_test_", 16, 10),
    shape("rk_live_", 16, 10),
    shape("rk_test_", 16, 10),
    shape("whsec_", 16, 10),
];

/// Adds the places of all tokens, in no order; some may overlap.
pub(super) fn find(text: &str, spans: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    if bytes.len() < "Bearer 12345678".len() {
        return;
    }
    for run in runs(bytes) {
        spans.extend(token(bytes, run));
    }
    // What these cannot do without is looked for first: most texts have neither.
    if memchr::memchr(b' ', bytes).is_some() {
        bearers(bytes, spans);
        private_keys(bytes, spans);
    }
    if memchr::memchr(b'@', bytes).is_some() {
        url_passwords(text, spans);
    }
}

/// Which bytes a token is made of: a table, since every byte of a long text may be looked up.
const TOKEN_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128u8 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        byte += 1;
    }
    table
};

fn is_token_byte(byte: u8) -> bool {
    TOKEN_BYTES[usize::from(byte)]
}

/// The runs of at least `LEAST` token bytes. Only each sixteenth byte of other text is looked at,
/// and the bytes between it and the word's beginning.
fn runs(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let window = bytes.get(at..at + LEAST)?;
            if let Some(other) = window.iter().rposition(|&byte| !is_token_byte(byte)) {
                at += other + 1;
                continue;
            }
            let end = end_of(bytes, at, is_token_byte);
            let run = at..end;
            at = end;
            return Some(run);
        }
    })
}

fn end_of(bytes: &[u8], from: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let len = bytes[from..].iter().take_while(|&&byte| belongs(byte)).count();
    from + len
}

/// The token in a run: from the first place where one begins to the end of the run.
fn token(bytes: &[u8], run: Range<usize>) -> Option<Range<usize>> {
    // In JSON and URLs the letters of an escape stand right before the token.
    let escape = match run.start.checked_sub(1).map(|at| bytes[at]) {
        Some(b'\\') if bytes[run.start] == b'u' => 5,
        Some(b'\\') => 1,
        Some(b'%') => 2,
        _ => 0,
    };
    let begins = |at: &usize| {
        *at == run.start || *at == run.start + escape || !bytes[at - 1].is_ascii_alphanumeric()
    };
    let web_end = web_token_end(bytes, run.end);
    let mut starts = (run.start..run.end).filter(begins);
    starts.find_map(|start| {
        let word = &bytes[start..run.end];
        match web_end {
            Some(end) if word.starts_with(b"eyJ") => Some(start..end),
            _ => is_token(word).then_some(start..run.end),
        }
    })
}

/// Whether a word is a token of one part.
fn is_token(word: &[u8]) -> bool {
    if !b"sgxAnhrpw".contains(&word[0]) {
        return false;
    }
    let fits = |shape: &Shape| {
        word.strip_prefix(shape.prefix.as_bytes()).is_some_and(|rest| {
            rest.len() >= shape.rest && (shape.row == 0 || has_mixed_row(rest, shape.row))
        })
    };
    is_aws_key_id(word) || SHAPES.iter().any(fits)
}

/// `AKIA` or `ASIA` and sixteen capitals and digits.
fn is_aws_key_id(word: &[u8]) -> bool {
    let prefixed = word.starts_with(b"AKIA") || word.starts_with(b"ASIA");
    let len =
        end_of(&word[..word.len().min(21)], 0, |b| b.is_ascii_uppercase() || b.is_ascii_digit());
    prefixed && len == 20 && word.get(20).is_none_or(|byte| !byte.is_ascii_alphanumeric())
}

/// The end of a JSON web token, if it is one, whose header ends at `end`: three parts (a signed
/// one) or five (an encrypted one) with dots between them.
fn web_token_end(bytes: &[u8], end: usize) -> Option<usize> {
    let mut at = end;
    let mut parts = 1;
    while parts < 5 && bytes.get(at) == Some(&b'.') {
        let part = end_of(bytes, at + 1, is_token_byte);
        if part - (at + 1) < 8 {
            break;
        }
        at = part;
        parts += 1;
    }
    (parts >= 3).then_some(at)
}

/// Whether there are so many letters and digits in a row, with at least one of each.
fn has_mixed_row(rest: &[u8], row: usize) -> bool {
    let judged = &rest[..rest.len().min(JUDGED)];
    judged.split(|byte| !byte.is_ascii_alphanumeric()).any(|part| {
        part.len() >= row
            && part.iter().any(u8::is_ascii_digit)
            && part.iter().any(u8::is_ascii_alphabetic)
    })
}

/// What follows `Bearer ` and looks like no word of a sentence.
fn bearers(bytes: &[u8], spans: &mut Vec<Range<usize>>) {
    for at in memmem::find_iter(bytes, b"earer ") {
        let (start, from) = (at.saturating_sub(1), at + b"earer ".len());
        let begins = matches!(bytes[start], b'B' | b'b')
            && !start.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_alphanumeric());
        let end = end_of(bytes, from, |b| is_token_byte(b) || b".~+/=".contains(&b));
        let judged = &bytes[from..end.min(from + JUDGED)];
        if begins && judged.len() >= 8 && judged.iter().any(u8::is_ascii_digit) {
            spans.push(from..end);
        }
    }
}

/// What stands between the lines that begin and end a private key, or after the first if the
/// second is missing.
fn private_keys(bytes: &[u8], spans: &mut Vec<Range<usize>>) {
    const BEGIN: &[u8] = b"-----BEGIN ";
    const KEY: &[u8] = b"PRIVATE KEY-----";
    let mut from = 0;
    while let Some(found) = memmem::find(&bytes[from..], KEY) {
        let (key, start) = (from + found, from + found + KEY.len());
        from = start;
        let before = &bytes[key.saturating_sub(32)..key];
        if memmem::find(before, BEGIN).is_some() {
            from = memmem::find(&bytes[start..], b"-----END ").map_or(bytes.len(), |n| start + n);
            spans.push(start..from);
        }
    }
}

/// The password in `scheme://user:password@host`.
fn url_passwords(text: &str, spans: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    for at in memmem::find_iter(bytes, b"://") {
        let start = at + b"://".len();
        let ends = |b: u8| b.is_ascii_whitespace() || b"/?#\"'\\<>`".contains(&b);
        let authority = &bytes[start..end_of(bytes, start, |b| !ends(b))];
        let Some(host) = memchr::memrchr(b'@', authority) else { continue };
        let Some(colon) = memchr::memchr(b':', &authority[..host]) else { continue };
        let password = start + colon + 1..start + host;
        if super::names::is_worth_hiding("password", &text[password.clone()]) {
            spans.push(password);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut spans = Vec::new();
        find(text, &mut spans);
        spans.into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn tokens_are_found_by_their_shape() {
        for token in [
            "sk-ant-api03-zqabcdef0123",
            "sk-ant-made-up-x",
            "sk-proj-abcd_efgh-1234",
            "sk-0123456789abcdefABCDEF0123456789abcdefABCDEF0123",
            "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            "ghs_abcdefghijklmnopqrstuvwxyz0123456789",
            "github_pat_11ABCDEFG0abcdefghij_klmnopqrstuvwxyz",
            "glpat-abcdefghij0123456789",
            "xoxb-123456789012-abcdefghijkl",
            "AKIAIOSFODNN7EXAMPLE",
            "ASIAIOSFODNN7EXAMPLE",
            "AIzaSyA0123456789abcdefghijklmnopqrstuv",
            "npm_abcdefghijklmnopqrstuvwxyz0123456789",
            "hf_abcdefghijklmnopqrstuvwxyz012345678",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
        ] {
            assert_eq!(found(token), [token]);
            assert_eq!(found(&format!("the key is {token}, keep it")), [token]);
            assert_eq!(found(&format!("größe={token}\n")), [token]);
            assert_eq!(found(&format!(r#"{{"a":"x\n{token}\ty"}}"#)), [token]);
            assert_eq!(found(&format!(r#""\u000a{token}""#)), [token]);
            assert_eq!(found(&format!("?q=%22{token}%22")), [token]);
            assert_eq!(found(&format!("prefix-{token}")), [token]);
        }
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        for text in [
            "skill-based-matchmaking-system2024abc",
            "task-ant-colony-optimisation-2024abcdef",
            "risk-proj-assessment-for-2024-abcdefgh12345",
            "sk-learn-pipeline-feature-selection-20240115093000",
            "eyJ is how a token begins, eyJust-a-word.here.there",
            "eyJhbGciOiJIUzI1NiJ9 alone",
            "AKIAIOSFODNN7EXAMPLE7 AKIAabcdefghijklmnop",
            "npm_config_registry_and_something_quite_long",
            "hf_hub_enable_hf_transfer_and_more",
            "bearer of bad news, Bearer authentication, forbearer 12345678a",
            "Bearer ${API_TOKEN_NUMBER_1}",
            "0b26c6e1-1111-4aaa-8bbb-000000000001",
            "https://localhost:8080/a@b http://user@host/ ssh://git@github.com:22/x",
            "postgres://root:root@localhost/db",
            "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
            "a PRIVATE KEY----- without a beginning",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn bearer_tokens_private_keys_and_url_passwords_are_found() {
        assert_eq!(found("Authorization: Bearer made.up/value+1= x"), ["made.up/value+1="]);
        assert_eq!(found("https://me:pass-word:9@host/x"), ["pass-word:9"]);
        let key = "-----BEGIN RSA PRIVATE KEY-----\\nMIIEabc\\n-----END RSA PRIVATE KEY-----";
        assert_eq!(found(key), ["\\nMIIEabc\\n"]);
        assert_eq!(found("-----BEGIN PRIVATE KEY-----\nMIIEabc"), ["\nMIIEabc"]);
    }
}
