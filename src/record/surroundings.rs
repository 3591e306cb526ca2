//! Who records, and what is secret there: a redactor from an environment.

use std::ffi::OsString;

use regex::bytes::Regex;

use super::redact::{Numbers, People, Redactor};
use crate::error::Error;

/// A redactor for these variables.
///
/// # Errors
///
/// A regular expression that is none.
pub(crate) fn redactor(
    env: &[(OsString, OsString)],
    named: &[(String, String)],
    numbers: Numbers,
) -> Result<Redactor, Error> {
    let env = || env.iter().filter_map(|(name, value)| name.to_str().zip(value.to_str()));
    let of_users = env().filter(|(name, _)| ["USER", "LOGNAME", "USERNAME"].contains(name));
    let users: Vec<String> = of_users.map(|(_, value)| value.to_owned()).collect();
    let system = rustix::system::uname();
    let home = env().find(|(name, _)| *name == "HOME").map(|(_, home)| home);
    let people = People::new(home, &users, system.nodename().to_str().ok());
    let mut regexes = Vec::new();
    for (name, pattern) in named {
        let regex = Regex::new(pattern).map_err(|error| Error::Setting {
            place: format!("--redact {name}"),
            what: error.to_string(),
        })?;
        regexes.push((name.clone(), regex));
    }
    Ok(Redactor::new(env(), people, regexes, numbers))
}

/// A redactor for the environment of this process.
pub(crate) fn redactor_of_this_process() -> Redactor {
    let env: Vec<_> = std::env::vars_os().collect();
    // Without expressions of the user there is none that could be wrong.
    redactor(&env, &[], Numbers::default()).unwrap_or_default()
}
