ringer run examples/recordings -- sh -c 'claude -p "deploy it"; claude -p "test it"; claude -p "once more"'
