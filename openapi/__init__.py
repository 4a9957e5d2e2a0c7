"""The contract of the REST door: what is written by hand and what is generated from the types."""
