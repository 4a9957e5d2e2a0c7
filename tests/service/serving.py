"""`plyscribe serve` with high card installed: what tests run as a process of its own."""

import sys

from games import registry
from service.cli import main
from tests.games import high_card

if __name__ == "__main__":
    registry._entries().setdefault("high_card", registry._admitted(high_card))
    sys.exit(main(["serve", "--port", "0", *sys.argv[1:]]))
