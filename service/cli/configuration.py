"""Settings for a command: what its options say, then the environment, then the defaults."""

import os

from service.settings import PREFIX, Settings, from_environment


def configured(**options: object) -> Settings:
    """`options` by the name of their variable in lower case; None is one that was not given.

    Raises: SettingRefused.
    """
    return from_environment(environment(**options))


def environment(**options: object) -> dict[str, str]:
    """The environment that means the same to another process."""
    given = {
        PREFIX + name.upper(): str(value) for name, value in options.items() if value is not None
    }
    return {**os.environ, **given}
