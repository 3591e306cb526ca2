cargo run -q -- run recordings/basics --allow-unused -- sh -c 'claude -p hi --output-format stream-json --verbose; codex exec --json hi'
