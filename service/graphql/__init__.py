"""The GraphQL door: the same commands, queries and feeds as the REST door, as a typed graph."""
