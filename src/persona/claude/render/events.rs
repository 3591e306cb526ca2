//! The events around the model's messages: the opening of a turn, notices, the user's side.

use super::failure::Failure;
use super::layout::Layout;
use super::plan::Pending;
use super::renderer::Renderer;
use super::running::Running;

impl Renderer {
    /// Writes what opens a turn: an `init` each time, since the CLI writes one a turn.
    pub(super) fn open(&mut self, running: &mut Running) {
        self.write_name();
        self.write_lifecycle(running, &["queued", "started"]);
        self.clock.pass(100 + self.ids.clone().below(50));
        let layout = self.layout.clone();
        let fields = self.event(&layout);
        let fields = running
            .marked(&layout, fields)
            .text("cwd", &self.spawn.cwd)
            .text("original_cwd", &self.spawn.cwd)
            .text("model", &running.model.id)
            .text("permissionMode", &self.spawn.permission_mode)
            .text("apiKeySource", &self.spawn.api_key_source)
            .text("claude_code_version", &self.spawn.version)
            .raw("mcp_servers", self.mcp_servers(&layout))
            .raw("additional_directories", layout.json.strings(&self.spawn.additional_directories));
        let fields = match self.spawn.bare {
            true => fields,
            false => fields
                .raw("memory_paths", self.memory_paths(&layout))
                .text("messaging_socket_path", &self.socket_path()),
        };
        self.write(&layout.object("init", &fields));
    }

    /// Writes what became of the user's line, where the line has a uuid to say it by.
    pub(super) fn write_lifecycle(&mut self, running: &Running, states: &[&str]) {
        let layout = self.layout.clone();
        let Some(uuid) = running.uuid().filter(|_| layout.has("command_lifecycle")) else { return };
        for state in states {
            let fields = self.event(&layout).text("command_uuid", uuid).text("state", state);
            self.write(&layout.object("command_lifecycle", &fields));
        }
    }

    /// Writes that a request is being made. Only partial runs say so, and once a request.
    pub(super) fn write_status(&mut self, running: &mut Running) {
        if self.spawn.partial && !std::mem::replace(&mut running.status_shown, true) {
            let layout = self.layout.clone();
            let fields = self.event(&layout);
            self.write(&layout.object("status.requesting", &fields));
        }
    }

    /// Writes the user's line back, when the first answer to it begins.
    pub(super) fn write_replay(&mut self, running: &mut Running) {
        if std::mem::replace(&mut running.replayed, true) {
            return;
        }
        let layout = self.layout.clone();
        let message = match &running.user.message {
            Some(message) => layout.json.again(message.get()),
            None => text_message(&layout, &running.user.text),
        };
        let fields = self.event(&layout).raw("message", message);
        let fields = fields.maybe_text("uuid", running.user.uuid.as_deref());
        self.write(&layout.object("user.replay", &fields));
    }

    /// Writes that a request failed and is sent again.
    pub(super) fn write_retry(&mut self, running: &mut Running, message: &str) {
        self.write_status(running);
        let layout = self.layout.clone();
        let failure = Failure::told_by(&layout, message);
        running.retries += 1;
        let delay = 500 + self.ids.below(130);
        let status = failure.status.map_or("null".to_owned(), |status| status.to_string());
        let fields = self
            .event(&layout)
            .plain("attempt", running.retries)
            .plain("retry_delay_ms", delay)
            .raw("error_status", status)
            .text("error", &failure.retry_error);
        self.write(&layout.object("api_retry", &fields));
        self.clock.pass(delay);
    }

    /// Writes the words that the CLI itself puts into the conversation, where this version has
    /// them; each counts as a turn.
    pub(super) fn write_nudge(&mut self, running: &mut Running, text: &str) {
        let layout = self.layout.clone();
        let words = layout.text(text, &[]);
        if words.is_empty() {
            return;
        }
        running.num_turns += 1;
        let fields = self.event(&layout).raw("message", user_text(&layout, &words));
        let fields = match text {
            "refusal.retry" => {
                fields.text("refused_message_id", &running.message_id).plain("refusal_retry", true)
            }
            _ => fields,
        };
        self.write(&layout.object("user.synthetic", &fields));
    }

    /// Writes that a refused answer is tried once more.
    pub(super) fn write_refusal_notice(&mut self, running: &Running) {
        let layout = self.layout.clone();
        let words = layout.text("refusal.notice", &[("name", &running.model.name)]);
        let fields = self.event(&layout).text("content", &words);
        self.write(&layout.object("refusal_notice", &fields));
    }

    /// Writes that the user interrupted: a key of the texts says in what.
    pub(super) fn write_interruption(&mut self, running: &mut Running, text: &str) {
        let layout = self.layout.clone();
        running.num_turns += 1;
        let message = user_text(&layout, &layout.text(text, &[]));
        let fields = self.event(&layout).raw("message", message);
        self.write(&layout.object("user", &fields));
    }

    /// Writes what an interruption makes of what is pending. Returns whether that was a tool.
    pub(super) fn write_interrupted(&mut self, running: &mut Running) -> bool {
        match std::mem::take(&mut running.pending) {
            pending @ (Pending::Running(_) | Pending::Asked(..)) => {
                let asked = matches!(pending, Pending::Asked(..));
                let (Pending::Running(call) | Pending::Asked(call, _)) = pending else {
                    return false;
                };
                self.write_rejected(running, &call, asked);
                self.write_interruption(running, "interrupt.tool");
                true
            }
            Pending::Stream { index, block } => {
                let abandoned = self.layout.has("abandoned_delta");
                if abandoned {
                    self.write_aborted(running, &block);
                }
                self.write_interruption(running, "interrupt.text");
                if abandoned {
                    self.write_abandoned(running, index);
                }
                running.stop_reason = None;
                false
            }
            Pending::Request | Pending::Nothing => {
                self.write_interruption(running, "interrupt.text");
                running.stop_reason = None;
                false
            }
        }
    }

    fn mcp_servers(&self, layout: &Layout) -> String {
        layout.json.list(self.spawn.mcp_servers.iter().map(|server| {
            let source = if server.sdk { "sdk" } else { "dynamic" };
            let fields = layout.fields().text("name", &server.name).text("source", source);
            layout.object("mcp_server", &fields)
        }))
    }

    fn memory_paths(&self, layout: &Layout) -> String {
        let project = project_folder(&self.spawn.cwd);
        let path = format!("{}/projects/{project}/memory/", self.spawn.config_dir);
        format!("{{\"auto\":{}}}", layout.json.string(&path))
    }

    /// A socket nobody listens on; the real one is named after the process.
    fn socket_path(&self) -> String {
        format!(
            "/tmp/cc-socks/{}.sock",
            1000 + super::ids::Ids::new(&self.spawn.seed).below(30_000)
        )
    }
}

/// A user message of one text block.
fn user_text(layout: &Layout, text: &str) -> String {
    let text = layout.json.string(text);
    format!("{{\"role\":\"user\",\"content\":[{{\"type\":\"text\",\"text\":{text}}}]}}")
}

/// A user's message whose content is plain text.
pub(super) fn text_message(layout: &Layout, text: &str) -> String {
    let text = layout.json.string(text);
    format!("{{\"role\":\"user\",\"content\":{text}}}")
}

/// The folder that a working directory's sessions are kept in (claude.md, section 5).
fn project_folder(cwd: &str) -> String {
    let letter = |unit: u16| u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric);
    cwd.encode_utf16().map(|unit| letter(unit).map_or('-', char::from)).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_working_directory_is_spelt_with_dashes() {
        assert_eq!(project_folder("/srv/x y.z_w"), "-srv-x-y-z-w");
        assert_eq!(project_folder("é😀"), "---");
    }
}
