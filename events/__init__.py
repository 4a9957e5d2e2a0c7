"""The log: events, the fold, the dealer, observations, the chain, the store."""
