"""What each viewer may know: projections, history, lists, and the hints that something is new."""
