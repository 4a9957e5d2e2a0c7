"""Tournament platforms: results of matches, told to where their tournament is run."""
