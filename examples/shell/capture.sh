mkdir -p mine/claude
claude -p "fix the test" --output-format stream-json --verbose >mine/claude/01.jsonl   # the real one
ringer run mine -- claude -p "fix the test" --output-format stream-json --verbose      # the double
