cargo run -q -- run recordings/retry/claude -- sh examples/shell/agent.sh "fix the test"
