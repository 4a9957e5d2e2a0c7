"""`python -m service.cli` is `plyscribe`."""

import sys

from service.cli import main

sys.exit(main())
