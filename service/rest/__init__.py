"""The REST door: thin translations between HTTP and commands, queries and streams."""
