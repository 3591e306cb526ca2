//! What a session writes beside its turns: what comes of the client's own requests, and recorded
//! lines that go through the same output format.

use super::events::text_message;
use super::renderer::Renderer;
use crate::persona::Piece;

impl Renderer {
    /// A line of a recorded stream, as the spawn's output format shows it.
    pub fn recorded(&mut self, line: &[u8]) -> Vec<Piece> {
        self.pass_on(line);
        self.take()
    }

    /// Whether a turn is in the middle of something.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// The model that answers now, by its full id.
    pub fn model_id(&self) -> String {
        super::models::Model::of(&self.layout, self.spawn.model.as_deref()).id
    }

    /// The mode that permissions are asked for in.
    pub fn permission_mode(&self) -> &str {
        &self.spawn.permission_mode
    }

    /// The line by which the CLI shows what a command of its own said (s10_setmodel_then_turn).
    pub fn said_by_command(&mut self, text: &str) -> Vec<Piece> {
        let layout = self.layout.clone();
        let fields = self.event(&layout).raw("message", text_message(&layout, text));
        self.write(&layout.object("user.replay", &fields));
        self.take()
    }

    /// The notice that the permission mode is now the one that was set (s04_control_setters).
    pub fn mode_notice(&mut self) -> Vec<Piece> {
        let layout = self.layout.clone();
        let mode = self.spawn.permission_mode.clone();
        let fields = self.event(&layout).text("permissionMode", &mode);
        self.write(&layout.object("status.mode", &fields));
        self.take()
    }

    /// The list of background tasks, where this version writes one when it is initialized again
    /// (s09_cr_initialize_second).
    pub fn tasks_notice(&mut self) -> Vec<Piece> {
        let layout = self.layout.clone();
        if layout.has("background_tasks_changed") {
            let fields = self.event(&layout);
            self.write(&layout.object("background_tasks_changed", &fields));
        }
        self.take()
    }
}
