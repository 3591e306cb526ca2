//! A message of the model between its first block and what follows its last one.

use serde_json::Value;

/// The blocks of the message that was said last, each an event of its own.
#[derive(Debug, Default)]
pub(super) struct Held {
    blocks: Vec<Value>,
    /// What the API said at the end of the message, with partial messages.
    stop_reason: Option<Value>,
    usage: Option<Value>,
    /// Output tokens of the turn's messages that were let go.
    counted: u64,
    spoke: bool,
}

impl Held {
    /// Learns from a raw event of the API how a message ended; its last block is out by then. A tool
    /// may have answered even before: then the message is gone.
    pub fn learn(&mut self, event: &Value) {
        if event["type"] == "message_delta" && !self.blocks.is_empty() {
            self.stop_reason = event["delta"].get("stop_reason").filter(|r| !r.is_null()).cloned();
            self.usage = event.get("usage").cloned();
        }
    }

    /// Whether a message is the one that is held.
    pub fn continues(&self, message: &Value) -> bool {
        self.blocks.last().is_some_and(|held| held["message"]["id"] == message["id"])
    }

    /// Holds one more block.
    pub fn add(&mut self, event: Value) {
        self.blocks.push(event);
        self.spoke = true;
    }

    /// Whether nothing was said in this turn.
    pub fn is_silent(&self) -> bool {
        !self.spoke
    }

    /// Starts the next turn.
    pub fn next_turn(&mut self) {
        self.counted = 0;
        self.spoke = false;
    }

    /// Lets the message go, with its end filled in: as the API told it, else as the `result` of the
    /// turn tells it, else as its blocks show it.
    pub fn release(&mut self, result: Option<&Value>) -> Vec<Value> {
        let mut blocks = std::mem::take(&mut self.blocks);
        let stop_reason = self.stop_reason.take();
        let usage = self.usage.take();
        let Some(last) = blocks.last() else { return blocks };
        let calls = blocks.iter().any(|block| block["message"]["content"][0]["type"] == "tool_use");
        let told = result.map(|result| result["stop_reason"].clone());
        let stop_reason = stop_reason
            .or_else(|| told.filter(|reason| !reason.is_null()))
            .unwrap_or_else(|| Value::from(if calls { "tool_use" } else { "end_turn" }));
        let output = usage.as_ref().and_then(|usage| usage["output_tokens"].as_u64());
        let so_far = last["message"]["usage"]["output_tokens"].as_u64();
        // The stream counts a token or none for a message; the turn's result has all of them.
        let all = result.and_then(|result| result["usage"]["output_tokens"].as_u64());
        let left = all.map(|all| all.saturating_sub(self.counted));
        let output = output.or(left).or(so_far);
        self.counted = self.counted.saturating_add(output.unwrap_or(0));
        for block in &mut blocks {
            let message = &mut block["message"];
            if message["stop_reason"].is_null() && message.is_object() {
                message["stop_reason"] = stop_reason.clone();
            }
            if let (Some(output), true) = (output, message["usage"].is_object()) {
                message["usage"]["output_tokens"] = Value::from(output);
            }
        }
        blocks
    }
}
