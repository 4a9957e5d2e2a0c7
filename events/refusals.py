"""The base of what the match does not accept."""


class Refused(Exception):
    """A command the match does not accept."""
