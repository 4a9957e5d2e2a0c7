"""`plyscribe serve` and `plyscribe migrate`."""
