//! Secrets that are known by their look: tokens by shape, credentials in a `Basic` header, values
//! under the keys that OAuth and the like use.

use std::ops::Range;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use memchr::memmem;

use super::{Find, Kind};
use crate::journal::secrets;

/// What a placeholder keeps of a token, so that it is still seen what kind of token it was.
const PREFIXES: [&str; 24] = [
    "sk-ant-",
    "sk-proj-",
    "sk-svcacct-",
    "sk-admin-",
    "sk-",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxa-",
    "xoxb-",
    "xoxe-",
    "xoxp-",
    "xoxr-",
    "xoxs-",
    "xapp-",
    "npm_",
    "hf_",
    "sk_live_",
    "sk_test_",
    "whsec_",
];

/// Tokens with dots in them, or of services that are not among the journal's shapes: the prefix and
/// the least length of what follows.
const MORE: [(&str, usize); 8] = [
    ("ya29.", 20),
    ("1//0", 30),
    ("SG.", 40),
    ("dop_v1_", 32),
    ("shpat_", 24),
    ("dckr_pat_", 20),
    ("lin_api_", 20),
    ("glsa_", 24),
];

/// Keys of JSON objects whose values are secrets whatever they look like.
const KEYS: [&str; 16] = [
    "access_token",
    "refresh_token",
    "id_token",
    "session_token",
    "auth_token",
    "client_secret",
    "api_key",
    "secret_key",
    "accessToken",
    "refreshToken",
    "idToken",
    "sessionToken",
    "authToken",
    "clientSecret",
    "apiKey",
    "password",
];

/// Adds what looks like a secret in a text.
pub(super) fn find(text: &str, finds: &mut Vec<Find>) {
    for span in secrets::tokens(text) {
        let placeholder = prefix(&text[span.clone()]);
        finds.push(Find { span, kind: Kind::Token { prefix: placeholder } });
    }
    more(text.as_bytes(), finds);
    basic(text.as_bytes(), finds);
    keyed(text, finds);
}

fn prefix(token: &str) -> &'static str {
    PREFIXES.iter().find(|prefix| token.starts_with(**prefix)).copied().unwrap_or_default()
}

fn more(bytes: &[u8], finds: &mut Vec<Find>) {
    for (prefix, least) in MORE {
        for start in memmem::find_iter(bytes, prefix) {
            let end = run(bytes, start + prefix.len(), b"-_.");
            let begins = start == 0 || !bytes[start - 1].is_ascii_alphanumeric();
            if begins && end - start >= prefix.len() + least {
                finds.push(Find { span: start..end, kind: Kind::Token { prefix: "" } });
            }
        }
    }
}

/// The end of a run of letters, digits and some more.
fn run(bytes: &[u8], from: usize, more: &[u8]) -> usize {
    let belongs = |byte: &&u8| byte.is_ascii_alphanumeric() || more.contains(byte);
    from + bytes[from.min(bytes.len())..].iter().take_while(belongs).count()
}

/// Name and password after `Basic `, as HTTP headers have them.
fn basic(bytes: &[u8], finds: &mut Vec<Find>) {
    for at in memmem::find_iter(bytes, b"asic ") {
        let start = at + b"asic ".len();
        let begins = at > 0 && matches!(bytes[at - 1], b'B' | b'b');
        let end = run(bytes, start, b"+/-_=");
        if begins && is_credentials(&bytes[start..end]) {
            finds.push(Find { span: start..end, kind: Kind::Basic });
        }
    }
}

fn is_credentials(text: &[u8]) -> bool {
    const LENIENT: GeneralPurposeConfig =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let decoded = [alphabet::STANDARD, alphabet::URL_SAFE]
        .iter()
        .find_map(|letters| GeneralPurpose::new(letters, LENIENT).decode(text).ok());
    decoded.is_some_and(|text| {
        let text = String::from_utf8(text).unwrap_or_default();
        text.contains(':') && text.len() > 3 && text.chars().all(|letter| !letter.is_control())
    })
}

/// Values under keys that name a secret. Such a value has a digit and no space, so that a
/// description of the key is not taken for it.
fn keyed(text: &str, finds: &mut Vec<Find>) {
    let bytes = text.as_bytes();
    for key in KEYS {
        for at in memmem::find_iter(bytes, key.as_bytes()) {
            if let Some(span) = value_after(bytes, at, key.len()) {
                finds.push(Find { span, kind: Kind::Token { prefix: "" } });
            }
        }
    }
}

fn value_after(bytes: &[u8], at: usize, length: usize) -> Option<Range<usize>> {
    let quoted = at > 0 && bytes[at - 1] == b'"';
    let rest = bytes.get(at + length..)?.strip_prefix(b"\"").filter(|_| quoted)?;
    let rest = rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let value = rest.strip_prefix(b"\"")?;
    let end = memchr::memchr2(b'"', b'\\', value)?;
    let start = bytes.len() - value.len();
    let value = &value[..end];
    let secret = value.len() >= 8
        && value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_alphabetic)
        && !value.iter().any(u8::is_ascii_whitespace)
        && !value.starts_with(b"${");
    secret.then(|| start..start + end)
}
