"""`plyscribe bot`: plays seats as a client of the API, and knows what its seat may see alone."""
