"""`python -m tests.playthroughs`."""

from tests.playthroughs.regenerate import main

main()
