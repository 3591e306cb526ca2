ringer record taken -- sh examples/shell/agent.sh "fix the test"   # the real programs, this once
ringer check-secrets taken                                         # and a look of your own
ringer run taken -- sh examples/shell/agent.sh "fix the test"      # from now on, the doubles
