import json, os, subprocess, tempfile, unittest
from pathlib import Path
from unittest import mock

RECORDINGS = Path(__file__).parents[2] / "recordings/retry/claude"


def ask(prompt):
    """The program under test: asks claude, and once more if that fails."""
    command = ["claude", "-p", prompt, "--output-format", "stream-json", "--verbose"]
    for _ in range(2):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        result = json.loads(done.stdout.splitlines()[-1])
        if done.returncode == 0:
            return result["result"]
    raise RuntimeError(result["result"])


def ringer(*args):
    return subprocess.run(["ringer", *args], capture_output=True, text=True)


class AgentTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        made = ringer("stage", directory.name, "--recordings", RECORDINGS, "--json")
        env = mock.patch.dict(os.environ, json.loads(made.stdout)["env"])
        env.start()
        self.addCleanup(env.stop)

    def test_an_overloaded_claude_is_asked_once_more(self):
        self.assertEqual(ask("fix the test"), "Done at the second attempt.")
        spawns = [json.loads(line) for line in ringer("journal", "--json").stdout.splitlines()]
        self.assertEqual(spawns[0]["exit"], {"code": 1})
        self.assertEqual(spawns[1]["argv"][:3], ["claude", "-p", "fix the test"])
        verdict = ringer("verify")
        self.assertEqual(verdict.returncode, 0, verdict.stdout)
