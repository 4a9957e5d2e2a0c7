"""The doors: REST, auth, live streams, commands and queries, the command line."""
