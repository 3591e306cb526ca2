package agent

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// ask is the program under test: it asks claude, and once more if that fails.
func ask(prompt string) (answer string, err error) {
	for range [2]int{} {
		var out []byte
		out, err = exec.Command("claude", "-p", prompt, "--output-format", "stream-json", "--verbose").Output()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		var result struct{ Result string }
		if json.Unmarshal([]byte(lines[len(lines)-1]), &result) == nil && err == nil {
			return result.Result, nil
		}
	}
	return "", err
}

func ringer(t *testing.T, args ...string) []byte {
	t.Helper()
	out, err := exec.Command("ringer", args...).Output()
	if failed, ok := err.(*exec.ExitError); ok {
		t.Fatalf("%s%s", out, failed.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAnOverloadedClaudeIsAskedOnceMore(t *testing.T) {
	var stage struct{ Env map[string]string }
	made := ringer(t, "stage", t.TempDir(), "--recordings", "../../recordings/retry/claude", "--json")
	if err := json.Unmarshal(made, &stage); err != nil {
		t.Fatal(err)
	}
	for name, value := range stage.Env {
		t.Setenv(name, value)
	}

	answer, err := ask("fix the test")
	if err != nil || answer != "Done at the second attempt." {
		t.Fatalf("%q, %v", answer, err)
	}
	ringer(t, "verify")
}
