"""`plyscribe demo`: a server, four programs and a spectator, and the match rebuilt from its log."""
