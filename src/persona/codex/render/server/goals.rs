//! The goal of a thread. Not captured; the keys are those of the published types.

use super::super::json::Object;
use super::AppServer;
use super::wire::{self, Frame};

/// What a thread is to reach.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    objective: String,
    status: String,
    token_budget: Option<u64>,
    /// When it was first set, in seconds since 1970.
    created_at: u64,
}

impl Goal {
    fn object(&self, thread: &str, updated_at: u64) -> String {
        let object = Object::new()
            .str("threadId", thread)
            .str("objective", &self.objective)
            .str("status", &self.status);
        let object = match self.token_budget {
            Some(tokens) => object.put("tokenBudget", tokens),
            None => object.null("tokenBudget"),
        };
        object
            .put("tokensUsed", 0)
            .put("timeUsedSeconds", 0)
            .put("createdAt", self.created_at)
            .put("updatedAt", updated_at)
            .end()
    }
}

impl AppServer {
    /// Sets a goal, or changes what a request names of the one there is.
    pub(super) fn set_goal(&mut self, frame: &Frame) -> Result<(), String> {
        let index = self.kept_thread(frame)?;
        let now = self.ids.now_ms() / 1000;
        let thread = &mut self.threads[index];
        let goal = thread.goal.get_or_insert_with(|| Goal {
            objective: String::new(),
            status: "active".to_owned(),
            token_budget: None,
            created_at: now,
        });
        if let Some(objective) = frame.text("objective") {
            objective.clone_into(&mut goal.objective);
        }
        if let Some(status) = frame.text("status") {
            status.clone_into(&mut goal.status);
        }
        if let Some(budget) = frame.params.get("tokenBudget") {
            goal.token_budget = budget.as_u64();
        }
        let goal = goal.object(&thread.id, now);
        let params = Object::new().str("threadId", &thread.id).null("turnId").raw("goal", &goal);
        self.pieces.push(wire::result(frame.id(), &Object::new().raw("goal", &goal).end()));
        self.notify("thread/goal/updated", &params.end());
        Ok(())
    }

    pub(super) fn get_goal(&mut self, frame: &Frame) -> Result<(), String> {
        let index = self.kept_thread(frame)?;
        let thread = &self.threads[index];
        let goal = thread.goal.as_ref().map(|goal| goal.object(&thread.id, goal.created_at));
        let answer = Object::new().raw("goal", goal.as_deref().unwrap_or("null"));
        self.pieces.push(wire::result(frame.id(), &answer.end()));
        Ok(())
    }

    pub(super) fn clear_goal(&mut self, frame: &Frame) -> Result<(), String> {
        let index = self.kept_thread(frame)?;
        let cleared = self.threads[index].goal.take().is_some();
        let params = Object::new().str("threadId", &self.threads[index].id).end();
        self.pieces.push(wire::result(frame.id(), &Object::new().put("cleared", cleared).end()));
        if cleared {
            self.notify("thread/goal/cleared", &params);
        }
        Ok(())
    }
}
