"""Settings for a command: what its options say, then the environment, then the defaults."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter, Token

from service.cli.terminal import say
from service.settings import PREFIX, SettingRefused, Settings, from_environment


def _folder(_: Any, tokens: Sequence[Token]) -> Path:
    if not tokens[0].value:
        raise SettingRefused("--data-dir", "is empty")
    return Path(tokens[0].value)


DataDir = Annotated[Path | None, Parameter(converter=_folder)]  # Path("") would be "."

Flag = Annotated[bool, Parameter(negative="")]


def configured(**options: object) -> Settings:
    """`options` by the name of their variable in lower case; None is one that was not given.

    Raises: SettingRefused, also for an option that is given and empty.
    """
    for name, value in options.items():
        if value == "":
            raise SettingRefused("--" + name.replace("_", "-"), "is empty")
    url = PREFIX + "DATABASE_URL"
    is_elsewhere = options.get("database_url") is None and url in os.environ
    if is_elsewhere and options.get("data_dir") is not None:
        say(f"{url} says which database it is; --data-dir says where the key file is")
    return from_environment(environment(**options))


def environment(**options: object) -> dict[str, str]:
    """The environment that means the same to another process."""
    given = {
        PREFIX + name.upper(): str(value) for name, value in options.items() if value is not None
    }
    return {**os.environ, **given}
