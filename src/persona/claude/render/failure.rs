//! What kind of failure a message tells of: an author writes the text that users see, the events
//! carry codes beside it, and the layout's `[failures]` table joins the two.

use super::layout::Layout;

/// The codes of one failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The HTTP status, where there was an answer.
    pub status: Option<u16>,
    /// `error` of the synthetic message.
    pub error: String,
    /// `api_error_type`: what the API called it.
    pub api_error_type: Option<String>,
    /// `api_error`: what the CLI calls it where the API said nothing.
    pub api_error: Option<String>,
    /// `error` of a retry notice.
    pub retry_error: String,
    /// Why the turn ended.
    pub terminal_reason: String,
}

impl Failure {
    /// The failure that a message tells of.
    pub fn told_by(layout: &Layout, message: &str) -> Failure {
        let status = status_in(message);
        let named = status.map(|status| status.to_string()).unwrap_or_default();
        let row = layout.entries("failures").find(|(fragment, _)| {
            let is_status = fragment.bytes().all(|b| b.is_ascii_digit());
            if is_status { *fragment == named } else { message.contains(fragment) }
        });
        match row.and_then(|(_, codes)| parse(codes?)) {
            Some(failure) => failure,
            None => Failure::unlisted(layout, status),
        }
    }

    /// A failure the table does not know: the API's own classes of status decide.
    fn unlisted(layout: &Layout, status: Option<u16>) -> Failure {
        let server = status.is_some_and(|status| status >= 500);
        let error = if server { "server_error" } else { "unknown" };
        Failure {
            status,
            error: error.to_owned(),
            api_error_type: status.map(|_| {
                let kind = if server { "api_error" } else { "invalid_request_error" };
                kind.to_owned()
            }),
            api_error: None,
            retry_error: error.to_owned(),
            terminal_reason: layout.text("terminal.failed", &[]),
        }
    }
}

fn parse(codes: &str) -> Option<Failure> {
    type Row = (Option<u16>, String, Option<String>, Option<String>, String, String);
    let (status, error, api_error_type, api_error, retry_error, terminal_reason): Row =
        serde_json::from_str(codes).ok()?;
    Some(Failure { status, error, api_error_type, api_error, retry_error, terminal_reason })
}

/// The first number in the text that is an HTTP error's status.
fn status_in(text: &str) -> Option<u16> {
    let numbers = text.split(|c: char| !c.is_ascii_alphanumeric());
    numbers.filter(|word| word.len() == 3).find_map(|word| {
        let status = word.parse().ok()?;
        (400..600).contains(&status).then_some(status)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_by_the_text_or_the_status_in_it() {
        let layout = Layout::of("2.1.332");
        let told = |text| {
            let failure = Failure::told_by(&layout, text);
            (failure.status, failure.error)
        };
        assert_eq!(told("API Error: 400 messages: bad"), (Some(400), "unknown".into()));
        assert_eq!(told("Credit balance is too low"), (Some(400), "billing_error".into()));
        assert_eq!(
            told("API Error: Request rejected (429) · Rate limited"),
            (Some(429), "rate_limit".into())
        );
        assert_eq!(
            told("You've hit your session limit · resets 8:30am (America/Los_Angeles)"),
            (Some(429), "rate_limit".into())
        );
        assert_eq!(told("API Error: 503 down"), (Some(503), "server_error".into()));
        assert_eq!(told("boom after 1400 tries"), (None, "unknown".into()));
    }
}
