# The program under test: asks claude, and once more if that fails.
ask() { claude -p "$1" --output-format stream-json --verbose </dev/null; }
events=$(ask "$1") || events=$(ask "$1") || exit 1
printf '%s\n' "$events" | sed -n 's/.*"result":"\([^"]*\)".*/\1/p'
