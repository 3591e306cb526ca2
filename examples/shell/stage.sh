stage=$(mktemp -d)
eval "$(ringer stage "$stage" --recordings recordings/retry/claude)"
sh examples/shell/agent.sh "fix the test"   # your program, which finds the doubles on PATH
ringer verify                               # 0 if all went as recorded, else 1 and the reasons
ringer journal                              # one line a spawn; `-n 1` shows all of the first
rm -r "$stage"
