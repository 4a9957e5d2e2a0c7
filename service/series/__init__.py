"""Series: matches between the same entrants, one after the other, until it is decided who won."""
