ringer run examples/live -- sh -c '
  for prompt in "rename it" "a.rs"; do
    echo "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"$prompt\"}}"
  done | claude --input-format stream-json --output-format stream-json --verbose'
