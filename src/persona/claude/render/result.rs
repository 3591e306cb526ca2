//! The `result` event and the sums in it: tokens and dollars by model over the session, what the
//! turn itself used, durations.

use super::json::number;
use super::layout::{Fields, Layout};
use super::models::Model;
use super::plan::Ending;
use super::renderer::Renderer;
use super::running::Running;
use super::spawn::Output;
use crate::recording::turn::Usage;

/// Tokens and dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Input tokens that were read anew.
    pub input: u64,
    /// Input tokens that came from the cache.
    pub cached: u64,
    /// Output tokens.
    pub output: u64,
    /// Output tokens that were thinking.
    pub thinking: u64,
    /// Dollars.
    pub cost: f64,
}

impl Spent {
    /// Adds what another part of the session used.
    pub fn add(&mut self, other: Spent) {
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.saturating_add(other.cached);
        self.output = self.output.saturating_add(other.output);
        self.thinking = self.thinking.saturating_add(other.thinking);
        self.cost += other.cost;
    }

    /// The share of request `index` of `count` in a turn's usage. The first takes what is left
    /// over, so that the shares add up to the turn.
    pub(super) fn share(usage: Usage, model: &Model, index: u64, count: u64) -> Spent {
        let count = count.max(1);
        let part = |n: u64| if index == 0 { n / count + n % count } else { n / count };
        let cached = usage.cached_input.min(usage.input);
        let (input, cached) = (part(usage.input - cached), part(cached));
        let output = part(usage.output);
        let cost = model.cost(input, cached, output);
        Spent { input, cached, output, thinking: part(usage.reasoning), cost }
    }

    /// The usage that goes with a message.
    pub(super) fn message_usage(&self, layout: &Layout, output: u64) -> String {
        layout.object("message.usage", &self.fields(layout).plain("output_tokens", output))
    }

    /// Tokens by the names that messages and results use.
    pub(super) fn fields<'a>(&self, layout: &'a Layout) -> Fields<'a> {
        layout
            .fields()
            .plain("input_tokens", self.input)
            .plain("cache_read_input_tokens", self.cached)
            .plain("output_tokens", self.output)
            .raw("output_tokens_details", format!("{{\"thinking_tokens\":{}}}", self.thinking))
    }

    /// Tokens by the names that `modelUsage` uses.
    fn by_model(&self, layout: &Layout, section: &str, model: &Model) -> String {
        let fields = layout
            .fields()
            .plain("inputTokens", self.input)
            .plain("outputTokens", self.output)
            .plain("cacheReadInputTokens", self.cached)
            .plain("thinkingTokens", self.thinking)
            .raw("costUSD", number(self.cost))
            .plain("contextWindow", model.context_window)
            .plain("maxOutputTokens", model.output_limit)
            .text("canonicalModel", model.canonical());
        layout.object(section, &fields)
    }
}

impl Renderer {
    /// Writes the result of the running turn, and takes its tokens into the session's.
    pub(super) fn write_result(&mut self, running: &mut Running, ending: Ending) {
        let layout = self.layout.clone();
        let duration = running.duration_ms.unwrap_or(self.clock.ms - running.began_ms);
        self.account(running, duration);
        let section = match ending {
            Ending::Done => "result".to_owned(),
            _ => format!("result.error.{}", subtype(ending)),
        };
        let fields = self.sums(&layout, running, ending, duration);
        let fields = match ending {
            Ending::Done => self.done(fields, running, duration),
            _ => fields
                .text("subtype", subtype(ending))
                .raw("errors", layout.json.strings([self.error_text(running, ending)])),
        };
        let line = layout.object(&section, &fields);
        self.results += 1;
        self.last_is_error = ending != Ending::Done || running.failure.is_some();
        self.write(&line);
    }

    /// Adds the turn to the session.
    fn account(&mut self, running: &Running, duration: u64) {
        if running.requests == 0 {
            return;
        }
        let api = duration - to_request(duration);
        self.api_ms = self.api_ms.saturating_add(api);
        let id = &running.model.id;
        match self.models.iter_mut().find(|(known, _)| known == id) {
            Some((_, spent)) => spent.add(running.spent),
            None => self.models.push((id.clone(), running.spent)),
        }
    }

    /// The fields that every result has.
    fn sums<'a>(
        &mut self,
        layout: &'a Layout,
        running: &Running,
        ending: Ending,
        duration: u64,
    ) -> Fields<'a> {
        let since_last = match running.requests {
            0 => "{}".to_owned(),
            _ => {
                let used = running.spent.by_model(layout, "model_usage", &running.model);
                format!("{{{}:{used}}}", layout.json.string(&running.model.id))
            }
        };
        // Summed up as the parts were: a sum of floats depends on the order.
        let cost = self.models.iter().map(|(_, spent)| spent.cost).sum();
        let by_stream = self.spawn.output == Output::StreamJson;
        let usage = match running.billed.is_some() && ending != Ending::Budget {
            true => {
                let billed = running.billed.unwrap_or_default();
                layout.object("usage", &billed.fields(layout))
            }
            false => layout.object("usage.none", &layout.fields()),
        };
        let fields = self.event(layout);
        let fields = fields
            .plain("duration_ms", duration)
            .plain("duration_api_ms", self.api_ms)
            .plain("num_turns", running.num_turns)
            .raw("total_cost_usd", number(cost))
            .raw("usage", usage)
            .raw("modelUsage", self.model_usage(layout))
            .raw("permission_denials", layout.json.list(&running.denials))
            .text("terminal_reason", &terminal_reason(running, ending))
            .raw("stop_reason", running.stop_reason.map_or("null".into(), |s| format!("\"{s}\"")))
            .plain("result_index", self.results);
        let fields = match by_stream {
            true => fields.raw("model_usage_since_last_result", since_last),
            false => fields,
        };
        let fields = match self.spawn.partial {
            true if !running.begun.is_empty() => {
                fields.raw("begun_message_ids", layout.json.strings(&running.begun))
            }
            _ => fields,
        };
        running.marked(layout, fields)
    }

    /// The fields of a result that is no error of the CLI's own.
    fn done<'a>(&self, fields: Fields<'a>, running: &Running, duration: u64) -> Fields<'a> {
        let fields = fields.plain("is_error", running.failure.is_some());
        let fields = fields.text("result", &running.result_text);
        let Some(failure) = &running.failure else {
            // The moments of the first answer, as parts of the whole as in the captures.
            let fields = fields
                .plain("time_to_request_ms", to_request(duration))
                .plain("ttft_stream_ms", duration / 20 * 16)
                .plain("first_content_frame_ms", duration / 20 * 17)
                .plain("ttft_ms", duration / 20 * 18)
                .maybe_raw("structured_output", running.structured.clone());
            if running.uuid().is_none() {
                return fields;
            }
            return fields
                .plain("request_sent_wall_ms", running.sent_at)
                .plain("first_request_input_tokens", running.first.input)
                .plain("first_request_cache_read_input_tokens", running.first.cached);
        };
        let fields = match failure.status {
            Some(status) => fields.plain("api_error_status", status),
            None => fields,
        };
        fields
            .maybe_text("api_error_type", failure.api_error_type.as_deref())
            .maybe_text("api_error", failure.api_error.as_deref())
    }

    /// Tokens and dollars by model over the session.
    fn model_usage(&self, layout: &Layout) -> String {
        let entries = self.models.iter().map(|(id, spent)| {
            let carried = self.carried_models.contains(id);
            let section = if carried { "model_usage.carried" } else { "model_usage" };
            let model = Model::of(layout, Some(id));
            format!("{}:{}", layout.json.string(id), spent.by_model(layout, section, &model))
        });
        format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
    }

    /// What `errors` says.
    fn error_text(&self, running: &Running, ending: Ending) -> String {
        match ending {
            Ending::MaxTurns => {
                let limit = self.spawn.max_turns.clone();
                let limit = limit.unwrap_or_else(|| running.tool_results.max(1).to_string());
                format!("Reached maximum number of turns ({limit})")
            }
            Ending::Budget => {
                let limit = self.spawn.max_budget.clone();
                let limit = limit.unwrap_or_else(|| number(running.spent.cost));
                format!("Reached maximum budget (${limit})")
            }
            Ending::Interrupted { .. } | Ending::Done => {
                let stop = running.stop_reason.unwrap_or("null");
                format!(
                    "[ede_diagnostic] result_type=user last_content_type=n/a stop_reason={stop}"
                )
            }
        }
    }
}

fn subtype(ending: Ending) -> &'static str {
    match ending {
        Ending::Done => "success",
        Ending::MaxTurns => "error_max_turns",
        Ending::Budget => "error_max_budget_usd",
        Ending::Interrupted { .. } => "error_during_execution",
    }
}

fn terminal_reason(running: &Running, ending: Ending) -> String {
    let reason = match ending {
        Ending::MaxTurns => "max_turns",
        Ending::Budget => "budget_exhausted",
        Ending::Interrupted { in_tool: true } => "aborted_tools",
        Ending::Interrupted { in_tool: false } => "aborted_streaming",
        Ending::Done => match &running.failure {
            Some(failure) => &failure.terminal_reason,
            None => "completed",
        },
    };
    reason.to_owned()
}

/// How much of a turn passes before its first request is sent.
fn to_request(duration: u64) -> u64 {
    duration / 20 * 15
}
