import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const recordings = join(import.meta.dirname, "../../recordings/retry/codex");
const ringer = (...args) => spawnSync("ringer", args, { encoding: "utf8" });

// The program under test: asks codex, and as often again as it may.
async function ask(prompt, { retries }) {
  const child = spawn("codex", ["exec", "--json", prompt], { stdio: ["ignore", "pipe", "inherit"] });
  let answer = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) answer += chunk;
  const events = answer.trim().split("\n").map((line) => JSON.parse(line));
  const message = events.findLast((event) => event.item?.type === "agent_message");
  if (events.at(-1).type === "turn.completed") return message.item.text;
  if (retries === 0) throw new Error(events.at(-1).error.message);
  return ask(prompt, { retries: retries - 1 });
}

test("a codex that lost its connection is asked once more", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "stage-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const stage = JSON.parse(ringer("stage", directory, "--recordings", recordings, "--json").stdout);
  Object.assign(process.env, stage.env);

  assert.equal(await ask("fix the test", { retries: 1 }), "Done at the second attempt.");
  const spawns = ringer("journal", "--json").stdout.trim().split("\n");
  assert.deepEqual(JSON.parse(spawns[1]).argv, ["codex", "exec", "--json", "fix the test"]);
  const verdict = ringer("verify");
  assert.equal(verdict.status, 0, verdict.stdout);
});
