//! The model's messages: one `assistant` event a content block, with the API's own events around
//! them where partial messages are asked for.

use super::layout::{Fields, Layout};
use super::plan::{Block, Message};
use super::renderer::Renderer;
use super::result::Spent;
use super::running::{Running, tokens};
use super::tools::mcp_names;

impl Renderer {
    /// Writes a message. One that never comes to its end lacks the end of its last block.
    pub(super) fn write_message(&mut self, running: &mut Running, message: &Message) {
        self.write_status(running);
        running.status_shown = false;
        let complete = message.stop.is_some() || !self.spawn.partial;
        let spent = self.begin(running, complete);
        self.write_replay(running);
        running.begun.push(running.message_id.clone());
        self.write_start(running, spent);
        for (index, block) in message.blocks.iter().enumerate() {
            let whole = complete || index + 1 < message.blocks.len();
            self.write_block_start(running, index, block);
            self.write_deltas(running, index, block, whole);
            if whole {
                self.write_assistant(running, block, false);
                self.write_stream(running, block_stop(index), |fields| fields);
            }
            if let Block::Text(text) = block {
                running.result_text.clone_from(text);
            }
        }
        if let Some(stop) = message.stop {
            running.stop_reason = Some(stop);
            if self.spawn.partial {
                self.write_stop(running, stop, spent);
            }
        }
        self.clock.pass(20);
    }

    /// Begins a request: its ids, and what it costs.
    fn begin(&mut self, running: &mut Running, complete: bool) -> Spent {
        let mut spent =
            Spent::share(running.usage, &running.model, running.requests, running.planned_requests);
        if !complete {
            spent.output = 1;
            spent.cost = running.model.cost(spent.input, spent.cached, 1);
        }
        if running.requests == 0 {
            running.first = spent;
        }
        running.requests += 1;
        running.spent.add(spent);
        if complete {
            running.billed.get_or_insert_default().add(spent);
        }
        running.message_id = self.ids.message();
        running.request_id = self.ids.request();
        // Text before a tool is not the turn's answer.
        running.result_text.clear();
        self.clock.pass(40);
        spent
    }

    fn write_start(&mut self, running: &mut Running, spent: Spent) {
        if !self.spawn.partial {
            return;
        }
        let layout = self.layout.clone();
        let fields = layout
            .fields()
            .text("id", &running.message_id)
            .text("model", running.model.in_messages())
            .raw("usage", spent.message_usage(&layout, 1));
        let message = layout.object("stream_event.message", &fields);
        let ttft = 5 + self.ids.below(20);
        let event = format!("{{\"type\":\"message_start\",\"message\":{message}}}");
        self.write_stream(running, event, |fields| {
            fields.plain("ttft_ms", ttft).text("thinking_display", DISPLAY)
        });
    }

    fn write_stop(&mut self, running: &Running, stop: &str, spent: Spent) {
        let layout = self.layout.clone();
        let usage = spent.message_usage(&layout, spent.output);
        let delta = format!("{{\"stop_reason\":\"{stop}\",\"stop_sequence\":null}}");
        let event = format!("{{\"type\":\"message_delta\",\"delta\":{delta},\"usage\":{usage}}}");
        self.write_stream(running, event, |fields| fields);
        self.write_stream(running, MESSAGE_STOP.to_owned(), |fields| fields);
    }

    /// Writes that a block begins, and for thinking an estimate of its length.
    fn write_block_start(&mut self, running: &Running, index: usize, block: &Block) {
        let layout = self.layout.clone();
        let empty = match block {
            Block::Text(_) => "{\"type\":\"text\",\"text\":\"\"}".to_owned(),
            Block::Thinking(_) => {
                "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}".to_owned()
            }
            Block::ToolUse(call) => {
                let (id, name) = (layout.json.string(&call.id), layout.json.string(&call.name));
                format!("{{\"type\":\"tool_use\",\"id\":{id},\"name\":{name},\"input\":{{}}}}")
            }
        };
        let event = format!(
            "{{\"type\":\"content_block_start\",\"index\":{index},\"content_block\":{empty}}}"
        );
        let thinks = matches!(block, Block::Thinking(_));
        self.write_stream(running, event, |fields| displayed(fields, thinks));
        if let Block::Thinking(text) = block {
            let estimate = tokens(text.chars().count());
            let fields = self
                .event(&layout)
                .plain("estimated_tokens", estimate)
                .plain("estimated_tokens_delta", estimate);
            self.write(&layout.object("thinking_tokens", &fields));
        }
    }

    /// Writes a block's content in pieces.
    fn write_deltas(&mut self, running: &Running, index: usize, block: &Block, whole: bool) {
        if !self.spawn.partial {
            return;
        }
        let (text, kind, key) = match block {
            Block::Text(text) => (text, "text_delta", "text"),
            Block::Thinking(text) => (text, "thinking_delta", "thinking"),
            Block::ToolUse(call) => (&call.source, "input_json_delta", "partial_json"),
        };
        let thinks = matches!(block, Block::Thinking(_));
        for chunk in chunks(text, running.chunk) {
            let value = self.layout.json.string(chunk);
            let event = block_delta(index, kind, key, &value);
            self.write_stream(running, event, |fields| displayed(fields, thinks));
        }
        if thinks && whole {
            let value = format!("\"{}\"", self.signature(running));
            let event = block_delta(index, "signature_delta", "signature", &value);
            self.write_stream(running, event, |fields| fields);
        }
    }

    /// Writes a whole block, or what had come of it.
    fn write_assistant(&mut self, running: &mut Running, block: &Block, aborted: bool) {
        let layout = self.layout.clone();
        let usage = running.last_share().message_usage(&layout, 1);
        let content = self.content(&layout, running, block);
        let fields = layout
            .fields()
            .text("id", &running.message_id)
            .text("model", running.model.in_messages())
            .raw("content", layout.json.list([content]))
            .raw("usage", usage);
        let message = layout.object("message", &fields);
        let fields = self.event(&layout).raw("message", message);
        let fields = fields.text("request_id", &running.request_id);
        let fields = match block {
            Block::Thinking(_) => {
                fields.plain("thinking_duration_ms", 5).text("thinking_display", DISPLAY)
            }
            Block::ToolUse(call) => fields.maybe_raw("tool_use_meta", meta(&layout, call)),
            Block::Text(_) => fields,
        };
        let fields = match std::mem::replace(&mut running.answered, true) {
            true => fields,
            false => running.marked(&layout, fields),
        };
        let fields = if aborted { fields.plain("aborted", true) } else { fields };
        self.write(&layout.object("assistant", &fields));
    }

    /// Writes the block that was coming when the turn was interrupted.
    pub(super) fn write_aborted(&mut self, running: &mut Running, block: &Block) {
        self.write_assistant(running, block, true);
    }

    /// Writes the ends that the API never sent, which newer versions make up.
    pub(super) fn write_abandoned(&mut self, running: &Running, index: usize) {
        let layout = self.layout.clone();
        self.write_stream(running, block_stop(index), |fields| fields);
        let spent = running.last_share();
        let usage = layout.object("abandoned_delta.usage", &spent.fields(&layout));
        let delta = layout.object("abandoned_delta", &layout.fields().raw("usage", usage));
        self.write_stream(running, delta, |fields| fields);
        let id = layout.json.string(&running.message_id);
        let abandoned = format!("{{\"api_message_id\":{id},\"from_block_index\":{}}}", index + 1);
        self.write_stream(running, MESSAGE_STOP.to_owned(), |fields| {
            fields.raw("abandoned_blocks", abandoned)
        });
    }

    /// Writes one of the API's own events, where partial messages are asked for.
    fn write_stream(
        &mut self,
        running: &Running,
        event: String,
        more: impl FnOnce(Fields) -> Fields,
    ) {
        if self.spawn.partial {
            let layout = self.layout.clone();
            let fields = self.event(&layout).raw("event", event);
            let fields = more(fields.text("api_message_id", &running.message_id));
            self.write(&layout.object("stream_event", &fields));
        }
    }

    /// A block as messages hold it.
    fn content(&mut self, layout: &Layout, running: &Running, block: &Block) -> String {
        match block {
            Block::Text(text) => {
                format!("{{\"type\":\"text\",\"text\":{}}}", layout.json.string(text))
            }
            Block::Thinking(text) => {
                let (text, signature) = (layout.json.string(text), self.signature(running));
                format!(
                    "{{\"type\":\"thinking\",\"thinking\":{text},\"signature\":\"{signature}\"}}"
                )
            }
            Block::ToolUse(call) => {
                let (id, name) = (layout.json.string(&call.id), layout.json.string(&call.name));
                let input = call.echoed(layout);
                format!("{{\"type\":\"tool_use\",\"id\":{id},\"name\":{name},\"input\":{input}}}")
            }
        }
    }

    /// The signature of a message's thinking: the same in its delta and in the whole block.
    fn signature(&self, running: &Running) -> String {
        super::ids::Ids::new(&running.message_id).signature()
    }
}

impl Running {
    /// The usage of the request at hand.
    fn last_share(&self) -> Spent {
        let index = self.requests.saturating_sub(1);
        let mut spent = Spent::share(self.usage, &self.model, index, self.planned_requests);
        spent.output = spent.output.min(1);
        spent
    }
}

/// How thinking is displayed, which newer versions say beside it.
const DISPLAY: &str = "updates";

const MESSAGE_STOP: &str = "{\"type\":\"message_stop\"}";

fn block_stop(index: usize) -> String {
    format!("{{\"type\":\"content_block_stop\",\"index\":{index}}}")
}

fn block_delta(index: usize, kind: &str, key: &str, value: &str) -> String {
    let delta = format!("{{\"type\":\"{kind}\",\"{key}\":{value}}}");
    format!("{{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{delta}}}")
}

fn displayed(fields: Fields<'_>, thinks: bool) -> Fields<'_> {
    if thinks { fields.text("thinking_display", DISPLAY) } else { fields }
}

/// What is said beside the call of an MCP server's tool.
fn meta(layout: &Layout, call: &super::plan::Call) -> Option<String> {
    let (server, tool, display) = mcp_names(&call.name)?;
    let fields = layout
        .fields()
        .text("id", &call.id)
        .text("display_name", &display)
        .text("server_display_name", server)
        .text("tool_name", tool);
    Some(layout.json.list([layout.object("tool_use_meta", &fields)]))
}

/// Cuts a text after every `size` characters.
fn chunks(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.char_indices().nth(size).map_or(rest.len(), |(index, _)| index);
        let (chunk, after) = rest.split_at(end);
        rest = after;
        Some(chunk)
    })
}

#[cfg(test)]
mod tests {
    use super::chunks;

    #[test]
    fn chunks_are_counted_in_characters() {
        assert_eq!(chunks("aé😀b", 2).collect::<Vec<_>>(), ["aé", "😀b"]);
        assert_eq!(chunks("", 2).count(), 0);
    }
}
