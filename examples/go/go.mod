module example.org/agent

go 1.21
