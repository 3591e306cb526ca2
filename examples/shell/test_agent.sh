set -e
stage=$(mktemp -d)
trap 'rm -r "$stage"' EXIT
eval "$(ringer stage "$stage" --recordings recordings/retry/claude)"
answer=$(sh examples/shell/agent.sh "fix the test")
test "$answer" = "Done at the second attempt."
ringer verify
