"""Imported last by the process that servers are forked from (`tests/forking.py`): none of them
searches what it had imported for garbage, and so none makes a copy of it.
"""

import gc

gc.collect()
gc.freeze()
