"""What an operator may set, read from environment variables that begin with PLYSCRIBE_."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from sqlalchemy.engine import URL

from service.roles import Role

PREFIX: Final = "PLYSCRIBE_"
CRASH_POINTS: Final = (
    *("before_commit", "after_commit", "after_hint"),
    *("feed_gathered", "before_feed", "after_feed"),
    *("after_close", "after_reveal"),  # of one match of a deal group
    *("after_flag", "after_credit"),
    *("webhook_claimed", "webhook_sent"),
    *("result_claimed", "result_sent"),  # of a link to a platform
    *("before_batch", "after_batch", "batch_action"),
    *("before_series", "after_series"),
    *("bundle_kept", "archive_checked", "before_archive", "after_archive"),  # of a match
)
_MATCHES: Final = 10_000
_LEAST_KEPT: Final = 256
OF_TESTS: Final = ("TEST", "TEST_DATABASE_URL", "TEST_REDIS_URL")  # read by tests alone
LOG_LEVELS: Final = ("debug", "info", "warning", "error")
LOG_FORMATS: Final = ("json", "console")

T = TypeVar("T")


class SettingRefused(Exception):
    """A variable with a value that can't be used. Never repeats the value: it may be a secret."""

    def __init__(self, variable: str, reason: str) -> None:
        super().__init__(f"{variable}: {reason}")
        self.variable = variable
        self.reason = reason


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes in bytes, times in seconds unless the name says otherwise.

    `role` is what the process does; another than `all` needs PostgreSQL.
    `secret_key` is 64 hex digits; without it a key file in `data_dir` is used, made at first start.
    `admin_key` makes the first API key a known one; without it a random one is made and shown once.
    `requests_per_minute` is of one caller, `failures_per_minute` of tokens that are none from one
    address; 0 is no limit. `cors_origins` are whose pages may call, `*` for all.
    `private_issuers` lets issuers' keys be fetched by http and from private addresses.
    `private_webhooks` lets webhooks and reports to platforms go by http and to private addresses;
    `webhook_seconds` is how long one request of theirs may take.
    `player_page` is the address of the page that links of batches lead to.
    `flag_grace_seconds` is how long after its moment a flag waits for answers that came in time.
    `outage_seconds` is how long no process may have served for clocks to run all the same.
    `game_tables` is a folder with component tables of games by slug, `SLUG.json`, for new matches.
    `graphql_operations` is a JSON file of GraphQL documents by id, which are always there.
    `feed_seconds` and `checkpoint_seconds` are at least between two rounds of the feed and between
    two signed roots. `log_origin` is the name of the log; without it one is made at first start.
    `traces_url` is the collector that spans are sent to by OTLP over HTTP, `traces_share` the part
    (0 to 1) of all traces that is.
    `metrics_port` is where metrics are told, on the same host; without it they are not.
    `crash_at` is for tests alone: `point` or `point:n`, where the process dies as by kill -9, at
    once or when it gets there for the n-th time.
    """

    data_dir: Path = Path("data")
    database_url: str = "sqlite:///data/plyscribe.db"
    host: str = "127.0.0.1"
    port: int = 8000
    metrics_port: int | None = None
    traces_url: str | None = None
    traces_share: float = 1.0
    workers: int = 1
    role: Role = Role.ALL
    secret_key: str | None = None
    admin_key: str | None = None
    log_level: str = "info"
    log_format: str = "json"
    body_limit: int = 64 * 1024
    page_limit: int = 500
    long_poll_seconds: int = 30
    tick_seconds: float = 1.5
    keep_alive_seconds: float = 10.0
    send_seconds: float = 10.0
    stream_limit: int = 10_000
    feed_seconds: float = 0.25
    checkpoint_seconds: float = 1.0
    log_origin: str | None = None
    redis_url: str | None = None
    token_seconds: float = 1.0
    cached_matches: int = _MATCHES
    requests_per_minute: int = 60_000
    failures_per_minute: int = 600
    cors_origins: tuple[str, ...] = ()
    private_issuers: bool = False
    private_webhooks: bool = False
    player_page: str | None = None
    webhook_seconds: float = 15.0
    flag_grace_seconds: float = 0.5
    outage_seconds: float = 3.0
    game_tables: Path | None = None
    graphql_operations: Path | None = None
    crash_at: str | None = None

    def room(self, of_default: int) -> int:
        """How much else is kept of matches, given how much it is with the default number of them:
        one setting bounds the memory of a process.
        """
        return max(_LEAST_KEPT, of_default * self.cached_matches // _MATCHES)


def from_environment(environ: Mapping[str, str]) -> Settings:
    """Settings with what `environ` sets; an empty value counts as not set.

    Raises: SettingRefused, also for a variable with the prefix that means nothing.
    """
    _refuse_unknown(environ)
    given = {
        name: read(PREFIX + variable, environ[PREFIX + variable])
        for variable, (name, read) in VARIABLES.items()
        if environ.get(PREFIX + variable)
    }
    data_dir = given.setdefault("data_dir", Path("data"))
    given.setdefault("database_url", sqlite_url(data_dir / "plyscribe.db"))
    if given.get("role", Role.ALL) is not Role.ALL and given["database_url"].startswith("sqlite"):
        raise SettingRefused(
            PREFIX + "ROLE", "has to be all on SQLite: processes of several roles need PostgreSQL"
        )
    if "crash_at" in given and environ.get(PREFIX + "TEST") != "1":
        raise SettingRefused(PREFIX + "TEST_CRASH_AT", f"needs {PREFIX}TEST=1")
    return Settings(**given)


def sqlite_url(path: Path) -> str:
    """The URL of a file, whatever signs are in its path."""
    return URL.create("sqlite", database=str(path)).render_as_string()


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    known = {PREFIX + variable for variable in (*VARIABLES, *OF_TESTS)}
    for variable in sorted(environ):
        if variable.startswith(PREFIX) and variable not in known:
            raise SettingRefused(variable, "is not a setting")


def _whole(least: int, most: int) -> Callable[[str, str], int]:
    def read(variable: str, value: str) -> int:
        try:
            number = int(value)
        except ValueError:
            raise SettingRefused(variable, "is not a whole number") from None
        if not least <= number <= most:
            raise SettingRefused(variable, f"has to lie between {least} and {most}")
        return number

    return read


def _seconds(least: float, most: float) -> Callable[[str, str], float]:
    def read(variable: str, value: str) -> float:
        try:
            number = float(value)
        except ValueError:
            raise SettingRefused(variable, "is not a number of seconds") from None
        if not least <= number <= most:
            raise SettingRefused(variable, f"has to lie between {least} and {most} seconds")
        return number

    return read


def _one_of(names: tuple[str, ...]) -> Callable[[str, str], str]:
    def read(variable: str, value: str) -> str:
        if value not in names:
            raise SettingRefused(variable, f"has to be one of {', '.join(names)}")
        return value

    return read


def _role(variable: str, value: str) -> Role:
    return Role(_one_of(tuple(Role))(variable, value))


def _crash_point(variable: str, value: str) -> str:
    point, _, count = value.partition(":")
    if point not in CRASH_POINTS or not (count or "1").isdigit():
        raise SettingRefused(variable, f"has to be one of {', '.join(CRASH_POINTS)}, or with :n")
    return value


def _hex_key(variable: str, value: str) -> str:
    try:
        if len(bytes.fromhex(value)) == 32:
            return value.lower()
    except ValueError:
        pass
    raise SettingRefused(variable, "has to be 64 hexadecimal digits")


def _api_key(variable: str, value: str) -> str:
    # The shape of service/credentials.py, which must not be imported before settings are read.
    prefix, _, secret = value.removeprefix("pk_").partition("_")
    is_shaped = value.startswith("pk_") and prefix.isalnum() and len(secret) >= 20
    if not is_shaped or not value.isascii():
        raise SettingRefused(variable, "has to look like pk_<prefix>_<at least 20 characters>")
    return value


def _redis_url(variable: str, value: str) -> str:
    # The program that reads settings for a command need not load a Redis client.
    scheme = value.partition(":")[0].partition("+")[0]
    if scheme not in ("redis", "rediss", "unix"):
        raise SettingRefused(variable, "has to be the URL of a Redis")
    return value


def _origins(variable: str, value: str) -> tuple[str, ...]:
    origins = tuple(each.strip() for each in value.split(",") if each.strip())
    for each in origins:
        scheme, _, host = each.partition("://")
        is_origin = scheme in ("http", "https") and host and not set(host) & set("/?#@* ")
        if each != "*" and not (is_origin and each.isascii()):
            raise SettingRefused(variable, "has to be *, or origins as https://host, by commas")
    return origins


def _origin(variable: str, value: str) -> str:
    if "+" in value or not value.isprintable() or any(map(str.isspace, value)):
        raise SettingRefused(variable, "has to be a name as host/path, without + and spaces")
    return value


def _page(variable: str, value: str) -> str:
    scheme, _, rest = value.partition("://")
    is_address = scheme in ("http", "https") and rest and value.isascii() and value.isprintable()
    if not is_address or "#" in value or " " in value:
        raise SettingRefused(variable, "has to be an address as https://host/path, without #")
    return value


def _collector(variable: str, value: str) -> str:
    scheme, _, rest = value.partition("://")
    is_address = scheme in ("http", "https") and rest and value.isascii() and value.isprintable()
    if not is_address or set(value) & set("@#? "):
        raise SettingRefused(
            variable, "has to be an address as http://host:4318/v1/traces, without credentials"
        )
    return value


def _share(variable: str, value: str) -> float:
    try:
        share = float(value)
    except ValueError:
        raise SettingRefused(variable, "is not a number") from None
    if not 0 <= share <= 1:
        raise SettingRefused(variable, "has to lie between 0 and 1")
    return share


def _truth(variable: str, value: str) -> bool:
    return _one_of(("true", "false"))(variable, value) == "true"


def _text(variable: str, value: str) -> str:
    return value


VARIABLES: Mapping[str, tuple[str, Callable[[str, str], Any]]] = {
    "DATA_DIR": ("data_dir", lambda _, value: Path(value)),
    "DATABASE_URL": ("database_url", _text),
    "HOST": ("host", _text),
    "PORT": ("port", _whole(0, 65535)),
    "METRICS_PORT": ("metrics_port", _whole(0, 65535)),
    "TRACES_URL": ("traces_url", _collector),
    "TRACES_SHARE": ("traces_share", _share),
    "WORKERS": ("workers", _whole(1, 256)),
    "ROLE": ("role", _role),
    "SECRET_KEY": ("secret_key", _hex_key),
    "ADMIN_KEY": ("admin_key", _api_key),
    "LOG_LEVEL": ("log_level", _one_of(LOG_LEVELS)),
    "LOG_FORMAT": ("log_format", _one_of(LOG_FORMATS)),
    "BODY_LIMIT": ("body_limit", _whole(1024, 16 * 1024 * 1024)),
    "PAGE_LIMIT": ("page_limit", _whole(1, 5000)),
    "LONG_POLL_SECONDS": ("long_poll_seconds", _whole(0, 300)),
    "TICK_SECONDS": ("tick_seconds", _seconds(0.05, 60)),
    "KEEP_ALIVE_SECONDS": ("keep_alive_seconds", _seconds(0.05, 300)),
    "SEND_SECONDS": ("send_seconds", _seconds(0.1, 300)),
    "STREAM_LIMIT": ("stream_limit", _whole(1, 1_000_000)),
    "FEED_SECONDS": ("feed_seconds", _seconds(0.01, 60)),
    "CHECKPOINT_SECONDS": ("checkpoint_seconds", _seconds(0.01, 3600)),
    "LOG_ORIGIN": ("log_origin", _origin),
    "REDIS_URL": ("redis_url", _redis_url),
    "TOKEN_SECONDS": ("token_seconds", _seconds(0, 1)),
    "CACHED_MATCHES": ("cached_matches", _whole(1, 10_000_000)),
    "REQUESTS_PER_MINUTE": ("requests_per_minute", _whole(0, 1_000_000_000)),
    "FAILURES_PER_MINUTE": ("failures_per_minute", _whole(0, 1_000_000_000)),
    "CORS_ORIGINS": ("cors_origins", _origins),
    "PRIVATE_ISSUERS": ("private_issuers", _truth),
    "PRIVATE_WEBHOOKS": ("private_webhooks", _truth),
    "PLAYER_PAGE": ("player_page", _page),
    "WEBHOOK_SECONDS": ("webhook_seconds", _seconds(0.1, 60)),
    "FLAG_GRACE_SECONDS": ("flag_grace_seconds", _seconds(0, 60)),
    "OUTAGE_SECONDS": ("outage_seconds", _seconds(2, 3600)),
    "GAME_TABLES": ("game_tables", lambda _, value: Path(value)),
    "GRAPHQL_OPERATIONS": ("graphql_operations", lambda _, value: Path(value)),
    "TEST_CRASH_AT": ("crash_at", _crash_point),
}
