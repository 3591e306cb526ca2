//! The client's requests: each gets the recorded answer that fits it, else the stock one, and does
//! to the session what it asks for.

use super::context;
use super::frame::Asked;
use super::recorded::{Found, Registered};
use super::stock::{self, Said};
use super::voice::ClaudeVoice;
use crate::persona::Piece;
use crate::persona::claude::render::Model;
use crate::persona::performer::Frame;
use serde_json::Value;

impl ClaudeVoice {
    /// Answers a request, other than one that ends a turn or the session.
    pub(super) fn request(&mut self, asked: &Asked) -> Vec<Piece> {
        self.heed(asked);
        if let Some(found) = self.recorded.answer(asked, self.renderer.layout()) {
            return self.out(&found.lines);
        }
        let mut pieces = Vec::new();
        if asked.subtype == "set_model" && self.shows_model() {
            let model = self.renderer.model_id();
            let text = self.stock().text("set_model", &[("model", &model)]);
            pieces.extend(self.renderer.said_by_command(&text));
        }
        pieces.push(self.answer(asked, &self.said(asked)));
        match asked.subtype.as_str() {
            "set_permission_mode" if self.may_set(asked).is_ok() && self.is_mode(asked) => {
                pieces.extend(self.renderer.mode_notice());
            }
            "mcp_set_servers" => self.take_servers(asked),
            "initialize" if self.client.initialized > 1 => {
                pieces.extend(self.renderer.tasks_notice());
            }
            _ => {}
        }
        pieces
    }

    /// Answers a request to interrupt while a turn is played: a question that is open is withdrawn
    /// first (s04_can_use_tool_interrupt).
    pub(super) fn interrupt(&mut self, asked: &Asked) -> Vec<Piece> {
        if self.renderer.is_running() {
            let withdrawn = self.renderer.withdrawn().map(Piece::Out);
            let answer = self.answer(asked, &self.said(asked));
            return withdrawn.into_iter().chain([answer]).collect();
        }
        match self.recorded.cut(asked) {
            Some(found) => self.cut(found).0,
            None => self.request(asked),
        }
    }

    /// Ends the session, and the turn that is being played with it (s09_end_session_busy).
    pub(super) fn end_session(&mut self, asked: &Asked, busy: bool) -> Frame {
        if !busy {
            let code = self.renderer.exit_code();
            return Frame::Fatal { pieces: vec![self.answer(asked, &Said::Done)], code };
        }
        let rendered = self.renderer.is_running();
        let found = if rendered { None } else { self.recorded.cut(asked) };
        if let Some(found) = found {
            let (mut pieces, rest) = self.cut(found);
            pieces.extend(rest);
            return Frame::Fatal { pieces, code: 1 };
        }
        let withdrawn = self.renderer.withdrawn().map(Piece::Out);
        let answer = self.answer(asked, &Said::Done);
        let mut pieces: Vec<Piece> = withdrawn.into_iter().chain([answer]).collect();
        pieces.extend(self.renderer.interrupted());
        Frame::Fatal { pieces, code: 1 }
    }

    /// What goes out for a recorded answer that cuts a turn off, and the rest of that turn. A
    /// question that the client has answered is not withdrawn.
    fn cut(&self, found: Found) -> (Vec<Piece>, Vec<Piece>) {
        let answered = found.withdraws.is_some_and(|id| self.client.answered.contains(&id));
        let lines = &found.lines[usize::from(answered)..];
        (self.out(lines), self.out(&found.rest))
    }

    fn answer(&self, asked: &Asked, said: &Said) -> Piece {
        Piece::Out(stock::line(self.stock(), self.renderer.layout(), asked.id, said))
    }

    /// Does what a request asks for, whoever answers it.
    fn heed(&mut self, asked: &Asked) {
        match asked.subtype.as_str() {
            "initialize" => {
                self.client.initialized += 1;
                self.client.hooks = Registered::of(&asked.request);
                self.greeted_with_servers(&asked.request);
            }
            "set_model" => self.renderer.set_model(asked.string("model").as_deref()),
            "set_permission_mode" if self.may_set(asked).is_ok() => {
                self.renderer.set_permission_mode(&asked.printed("mode"));
            }
            _ => {}
        }
    }

    /// The stock answer.
    fn said(&self, asked: &Asked) -> Said {
        let (stock, layout) = (self.stock(), self.renderer.layout());
        let model = self.renderer.model_id();
        match asked.subtype.as_str() {
            "initialize" => {
                let mode = self.renderer.permission_mode();
                let again = self.client.initialized > 1;
                stock::initialize(stock, layout, &self.options, mode, again, &asked.request)
            }
            "interrupt" => match stock.has("interrupt") {
                true => Said::Value(stock.object("interrupt", &layout.fields())),
                false => Said::Done,
            },
            "set_permission_mode" => match self.may_set(asked) {
                Ok(()) => keyed("mode", asked.request.get("mode").unwrap_or("null")),
                Err(refusal) => refusal,
            },
            "set_model" if stock.rule("set_model_says_which") => {
                keyed("model", &layout.json.string(&model))
            }
            "set_model" | "set_max_thinking_tokens" | "apply_flag_settings" => Said::Done,
            "mcp_status" => self.server_status(),
            "get_context_usage" => {
                let model = Model::of(layout, Some(&model));
                Said::Value(context::usage(stock, layout, &model))
            }
            "get_settings" => stock::settings(stock, layout, &model),
            "mcp_reconnect" | "mcp_toggle" | "mcp_read_resource" => {
                let server = asked.printed("serverName");
                match self.has_server(&server) {
                    true if asked.subtype == "mcp_read_resource" => keyed("contents", "[]"),
                    true => Said::Done,
                    false => stock::error(stock, "no_server", &[("server", &server)]),
                }
            }
            "mcp_set_servers" => self.set_servers(asked),
            "rewind_files" => stock::error(stock, "no_rewinding", &[]),
            "stop_task" => Said::Value("{}".to_owned()),
            subtype => stock::other(stock, layout, &self.options, subtype),
        }
    }

    /// Whether the permission mode that is asked for may be set; else what is said to it.
    fn may_set(&self, asked: &Asked) -> Result<(), Said> {
        let stock = self.stock();
        if stock.rule("modes_are_checked") && !self.is_mode(asked) {
            let modes: Vec<&str> = stock.entries("modes").map(|(mode, _)| mode).collect();
            return Err(stock::error(stock, "invalid_mode", &[("modes", &modes.join(", "))]));
        }
        if asked.printed("mode") == "bypassPermissions" && !self.options.bypass_allowed {
            return Err(stock::error(stock, "bypass_not_launched", &[]));
        }
        Ok(())
    }

    fn is_mode(&self, asked: &Asked) -> bool {
        let asked = asked.string("mode");
        self.stock().entries("modes").any(|(mode, _)| asked.as_deref() == Some(mode))
    }

    /// Whether a new model is shown in the conversation (s10_setmodel_then_turn).
    fn shows_model(&self) -> bool {
        self.stock().rule("set_model_is_always_shown") || !self.client.users.is_empty()
    }
}

/// An object of one key.
fn keyed(key: &str, value: &str) -> Said {
    Said::Value(format!("{{{}:{value}}}", Value::from(key)))
}
