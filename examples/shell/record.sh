ringer record mine -- sh examples/shell/agent.sh "fix the test"   # the real programs, this once
ringer check-secrets mine                                         # and a look of your own
ringer run mine -- sh examples/shell/agent.sh "fix the test"      # from now on, the doubles
