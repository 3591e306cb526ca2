//! Logging in. Not captured; the keys are those of the published types.

use super::super::json::Object;
use super::AppServer;
use super::wire::{self, Frame};

/// Where a login would go on; nobody is there.
const NOWHERE: &str = "http://localhost/";

impl AppServer {
    /// Starts a login: one by key is done at once; one in a browser is never completed.
    pub(super) fn log_in(&mut self, frame: &Frame) {
        let kind = frame.text("type").unwrap_or_default();
        let object = Object::new().str("type", kind);
        let answer = match kind {
            "chatgpt" => object.str("loginId", &self.ids.uuid()).str("authUrl", NOWHERE),
            "chatgptDeviceCode" => object
                .str("loginId", &self.ids.uuid())
                .str("verificationUrl", NOWHERE)
                .str("userCode", "AAAA-00000"),
            _ => object,
        };
        self.pieces.push(wire::result(frame.id(), &answer.end()));
        if kind == "apiKey" {
            let completed = Object::new().null("loginId").put("success", true).null("error");
            self.notify("account/login/completed", &completed.end());
            let updated = Object::new().str("authMode", "apikey").null("planType");
            self.notify("account/updated", &updated.end());
        }
    }
}
