//! The messages that the CLI makes up to report a failure in the model's place.

use super::failure::Failure;
use super::renderer::Renderer;
use super::running::Running;

impl Renderer {
    /// Writes a failure: a message that the CLI makes up, and that becomes the result.
    pub(super) fn write_failure(&mut self, running: &mut Running, message: &str) {
        self.write_status(running);
        self.write_replay(running);
        let failure = Failure::told_by(&self.layout, message);
        let request = failure.status.map(|_| self.ids.request());
        self.write_synthetic(running, message, &failure, "stop_sequence", request);
        running.failure = Some(failure);
    }

    /// Writes that the refusal is final.
    pub(super) fn write_refusal(&mut self, running: &mut Running) {
        let layout = self.layout.clone();
        let request = running.request_id.clone();
        let user = self.ids.uuid();
        let fields = self
            .event(&layout)
            .text("original_model", &running.model.id)
            .text("request_id", &request)
            .text("refused_user_message_uuid", &user);
        self.write(&layout.object("model_refusal", &fields));
        let places = [
            ("name", running.model.name.as_str()),
            ("request", &request),
            ("message", &running.message_id),
        ];
        let text = layout.text("refusal.error", &places);
        let failure = Failure {
            status: None,
            error: "invalid_request".to_owned(),
            api_error_type: None,
            api_error: None,
            retry_error: "unknown".to_owned(),
            terminal_reason: layout.text("terminal.failed", &[]),
        };
        self.write_synthetic(running, &text, &failure, "refusal", Some(request));
        running.failure = Some(failure);
    }

    fn write_synthetic(
        &mut self,
        running: &mut Running,
        text: &str,
        failure: &Failure,
        stop: &'static str,
        request: Option<String>,
    ) {
        let layout = self.layout.clone();
        let block = format!("{{\"type\":\"text\",\"text\":{}}}", layout.json.string(text));
        let fields = layout
            .fields()
            .text("id", &self.ids.uuid())
            .text("stop_reason", stop)
            .raw("content", layout.json.list([block]));
        let message = layout.object("synthetic.message", &fields);
        let fields = self
            .event(&layout)
            .raw("message", message)
            .text("error", &failure.error)
            .maybe_text("request_id", request.as_deref())
            .maybe_raw("api_error_status", failure.status.map(|status| status.to_string()))
            .maybe_text("api_error_type", failure.api_error_type.as_deref())
            .maybe_text("api_error", failure.api_error.as_deref());
        let fields = match (failure.api_error.as_deref(), stop) {
            (Some("max_output_tokens"), _) => {
                fields.raw("api_error_params", "{\"cut\":\"output_limit\"}")
            }
            (_, "refusal") => fields.text("refused_message_id", &running.message_id),
            _ => fields,
        };
        self.write(&layout.object("synthetic", &fields));
        running.stop_reason = Some(stop);
        text.clone_into(&mut running.result_text);
    }
}
