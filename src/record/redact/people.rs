//! Who recorded and where: the home directory, the user's and the host's name in paths and
//! addresses, e-mail addresses.
//!
//! Names are words too, so they are replaced only where they name somebody: as a part of a path,
//! before or after an `@`. Names that everybody has (`root`, `runner`, `node`) tell nothing and stay.

use std::path::Path;

use memchr::memmem;

use super::view::after_escape;
use super::{Find, Kind};

/// Names of accounts and hosts that are nobody's.
const NOBODY: [&str; 29] = [
    "root",
    "user",
    "users",
    "home",
    "runner",
    "node",
    "ubuntu",
    "debian",
    "admin",
    "app",
    "dev",
    "test",
    "vscode",
    "codespace",
    "circleci",
    "gitlab-runner",
    "jenkins",
    "build",
    "builder",
    "vagrant",
    "docker",
    "nobody",
    "localhost",
    "host",
    "local",
    "work",
    "tmp",
    "root_user",
    "me",
];

/// Endings of what has an `@` in it and is a file, not an address.
const FILES: [&str; 18] = [
    "png", "jpg", "jpeg", "gif", "svg", "js", "mjs", "cjs", "ts", "tsx", "py", "rs", "go", "json",
    "md", "tgz", "gz", "css",
];

/// What is known of who records.
#[derive(Debug, Default)]
pub(crate) struct People {
    home: Option<Home>,
    users: Vec<String>,
    hosts: Vec<String>,
}

#[derive(Debug)]
struct Home {
    path: String,
    /// As it stands in names of session files: all but letters and digits are hyphens.
    dashed: String,
    /// What is written in its place: the same directory, of somebody called `user`.
    own: String,
    own_dashed: String,
}

impl People {
    /// Gathers the names from a home directory, user names and a host name.
    pub fn new(home: Option<&str>, users: &[String], host: Option<&str>) -> People {
        let mut names: Vec<String> = users.to_vec();
        let home = home.filter(|home| home.starts_with('/') && home.len() > 3);
        let last = home.and_then(|home| Path::new(home).file_name()?.to_str());
        let home = home.zip(last).filter(|(_, last)| is_somebody(last)).map(|(home, last)| {
            names.push(last.to_owned());
            let path = home.trim_end_matches('/');
            let own = format!("{}user", &path[..path.len() - last.len()]);
            let (dashed, own_dashed) = (dashed(path), dashed(&own));
            Home { path: path.to_owned(), dashed, own, own_dashed }
        });
        let mut hosts: Vec<String> = host.into_iter().map(str::to_owned).collect();
        hosts.extend(host.and_then(|host| host.split_once('.')).map(|(name, _)| name.to_owned()));
        for list in [&mut names, &mut hosts] {
            list.retain(|name| is_somebody(name));
            list.sort_by_key(|name| std::cmp::Reverse(name.len()));
            list.dedup();
        }
        People { home, users: names, hosts }
    }

    /// A path as it stands in the recording.
    pub fn path(&self, path: &str) -> String {
        match &self.home {
            Some(home) if path == home.path => home.own.clone(),
            _ => path.to_owned(),
        }
    }

    /// Adds what names somebody in a text.
    pub(super) fn find(&self, text: &[u8], finds: &mut Vec<Find>) {
        if let Some(home) = &self.home {
            for (needle, own) in [(&home.path, &home.own), (&home.dashed, &home.own_dashed)] {
                each(text, needle, |start, end| {
                    let whole = text.get(end).is_none_or(|byte| !in_name(*byte) || *byte == b'-');
                    let begins = start == 0 || !text[start - 1].is_ascii_alphanumeric();
                    if whole && begins && (needle.starts_with('-') || text.get(end) != Some(&b'-'))
                    {
                        finds.push(Find { span: start..end, kind: Kind::Fixed(own.clone()) });
                    }
                });
            }
        }
        for user in &self.users {
            each(text, user, |start, end| {
                let next = text.get(end).copied();
                let whole = next.is_none_or(|byte| !in_name(byte));
                let before = start.checked_sub(1).map(|at| text[at]);
                let in_path = matches!(before, Some(b'/' | b'\\' | b'~')) && whole;
                let at_host = next == Some(b'@') && before.is_none_or(|byte| !in_name(byte));
                if in_path || at_host {
                    finds.push(Find { span: start..end, kind: Kind::Fixed("user".into()) });
                }
            });
        }
        for host in &self.hosts {
            each(text, host, |start, end| {
                let whole = text.get(end).is_none_or(|byte| !in_name(*byte));
                if whole && start > 0 && matches!(text[start - 1], b'@' | b'/' | b'\\') {
                    finds.push(Find { span: start..end, kind: Kind::Fixed("host".into()) });
                }
            });
        }
        emails(text, finds);
    }
}

fn is_somebody(name: &str) -> bool {
    name.len() >= 3 && !NOBODY.iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn dashed(path: &str) -> String {
    path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || !byte.is_ascii()
}

fn each(text: &[u8], needle: &str, mut found: impl FnMut(usize, usize)) {
    for start in memmem::find_iter(text, needle.as_bytes()) {
        found(start, start + needle.len());
    }
}

/// Adds e-mail addresses, except those that are nobody's.
pub(super) fn emails(text: &[u8], finds: &mut Vec<Find>) {
    for at in memchr::memchr_iter(b'@', text) {
        let local = |byte: &&u8| byte.is_ascii_alphanumeric() || b"._+-".contains(byte);
        let start = at - text[..at].iter().rev().take_while(local).count();
        let start = after_escape(text, start).min(at);
        let in_domain = |byte: &&u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
        let mut end = at + 1 + text[at + 1..].iter().take_while(in_domain).count();
        while end > at + 1 && matches!(text[end - 1], b'.' | b'-') {
            end -= 1;
        }
        if is_address(&text[start..at], &text[at + 1..end]) {
            finds.push(Find { span: start..end, kind: Kind::Email });
        }
    }
}

fn is_address(local: &[u8], domain: &[u8]) -> bool {
    let (Ok(local), Ok(domain)) = (std::str::from_utf8(local), std::str::from_utf8(domain)) else {
        return false;
    };
    let Some((rest, top)) = domain.rsplit_once('.') else { return false };
    let nobody = ["noreply", "no-reply", "git", "hg"].contains(&local)
        || ["example.com", "example.org", "example.net"].iter().any(|d| domain.ends_with(d))
        || ["example", "test", "invalid", "localhost"].contains(&top);
    let is_file = FILES.contains(&top);
    let letters = top.len() >= 2 && top.bytes().all(|byte| byte.is_ascii_alphabetic());
    !local.is_empty()
        && !local.starts_with(['.', '-'])
        && !rest.is_empty()
        && !rest.split('.').any(str::is_empty)
        && letters
        && !is_file
        && !nobody
}
