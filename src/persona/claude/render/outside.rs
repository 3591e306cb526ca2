//! A turn that a recording tells of, which is cut off in a way that the recording does not know.

use super::models::Model;
use super::plan::{Call, Pending};
use super::renderer::Renderer;
use super::running::Running;
use super::spawn::UserLine;
use crate::persona::claude::object::Object;
use crate::recording::turn::Turn;

impl Renderer {
    /// Takes a recorded turn over while a question of it is open, so that it can be interrupted as
    /// one of its own (`s04_can_use_tool_interrupt`). `session` is the id that the recording's
    /// events have here.
    pub fn take_over(&mut self, session: Option<&str>, question: &[u8]) {
        if let Some(session) = session {
            session.clone_into(&mut self.spawn.session_id);
        }
        let model = Model::of(&self.layout, self.spawn.model.as_deref());
        let turn = Turn::default();
        let mut running = Running::new(&turn, Default::default(), UserLine::default(), model);
        running.began_ms = self.clock.ms;
        running.sent_at = self.clock.since_epoch();
        // Other questions are the program's own: no tool is rejected with them.
        if let Some((call, id)) = tool_question(question) {
            running.stop_reason = Some("tool_use");
            running.pending = Pending::Asked(call, id);
        }
        self.running = Some(running);
    }
}

/// The tool that a recorded line asks about, and the request's id.
fn tool_question(line: &[u8]) -> Option<(Call, String)> {
    let line = Object::parse(line)?;
    let request = line.object("request").filter(|it| it.is("subtype", "can_use_tool"))?;
    let source = request.get("input").unwrap_or("{}").to_owned();
    let call = Call {
        id: request.string("tool_use_id").unwrap_or_default(),
        name: request.string("tool_name").unwrap_or_default(),
        input: serde_json::from_str(&source).unwrap_or_default(),
        source,
        result: None,
        is_error: false,
        ask: true,
    };
    Some((call, line.string("request_id")?))
}
