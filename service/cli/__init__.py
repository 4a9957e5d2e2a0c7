"""The command line: `plyscribe`."""

import os
import sys
from collections.abc import Sequence
from importlib.metadata import version as installed_version

from cyclopts import App, CycloptsError
from sqlalchemy.exc import SQLAlchemyError

from events.database import DatabaseFault
from games.core.game import OptionsRefused
from games.registry import PluginRefused, TablesRefused, UnknownGame
from service.cli.terminal import CannotDo, complain, first_line, write
from service.cli.troubles import reason_of
from service.settings import SettingRefused

REFUSED = 2  # the exit code of a command that can't do what it was asked
INTERRUPTED = 130
PIPE_CLOSED = 141

app = App(
    name="plyscribe",
    help="A game-state service with event sourcing.",
    version=lambda: installed_version("plyscribe"),
    result_action="return_value",
    help_format="plaintext",
)
games = App(name="games", help="The games of this installation.")
app.command(games)
signing_keys = App(name="signing-keys", help="The keys this service signs with.")
app.command(signing_keys)
log = App(name="log", help="The Merkle log of all matches.")
app.command(log)
receipts = App(name="receipt", help="What the service signed about matches.")
app.command(receipts)
keys = App(name="keys", help="API keys, in the database of the service.")
app.command(keys)
orgs = App(name="orgs", help="Organisations, in the database of the service.")
app.command(orgs)

# Commands are imported when they are called: a script that asks for the version waits for nothing.
# So what a list of commands says of each, the first line of its own help, is told here.
app.command(
    "service.cli.serving:serve",
    name="serve",
    help="Start the service. Without options it runs on SQLite in ./data.",
)
app.command(
    "service.cli.serving:migrate",
    name="migrate",
    help="Bring the schema of the database to what this version needs. Safe to run again.",
)
app.command(
    "service.cli.doctor:doctor",
    name="doctor",
    help="Check database, schema, clocks, keys, roles, matches, Redis, disk and open files.",
)
app.command(
    "service.cli.demo.stage:demo",
    name="demo",
    help="Play a whole match over HTTP, kill the server, and rebuild the match from its log.",
)
app.command(
    "service.cli.replaying:replay",
    name="replay",
    help="Rebuild a match from its log or its bundle and show it step by step.",
)
app.command(
    "service.cli.differing:diff",
    name="diff",
    help="Show what is different between two positions of a match, or between two viewers.",
)
app.command(
    "service.cli.verifying:verify",
    name="verify",
    help="Check offline what you kept of matches, each by itself and all of it against each other.",
)
app.command(
    "service.cli.moving:export_org",
    name="export",
    help="Write all matches of an organisation as full bundles, with an index of them.",
)
app.command(
    "service.cli.moving:import_org",
    name="import",
    help="Take in the matches of an export, each checked first: all of it or nothing.",
)
app.command(
    "service.cli.tournament_files:export_trf",
    name="export-trf",
    help="Write rounds of two-seat matches as FIDE's Tournament Report File (TRF26).",
)
app.command(
    "service.cli.tournament_files:export_pods",
    name="export-pods",
    help="Write rounds of tables of any number of seats, and standings, as plain JSON.",
)
app.command(
    "service.cli.monitoring:monitor",
    name="monitor",
    help="Follow the log of a service, and the entries of one organisation in it.",
)
app.command(
    "service.cli.bot.command:bot",
    name="bot",
    help="Play seats over the API until their matches are over.",
)
app.command(
    "service.cli.erasing:erase",
    name="erase",
    help="Erase what somebody said in a match, or everything about an account.",
)
app.command(
    "service.cli.backing_up:backup",
    name="backup",
    help="Copy the SQLite database into a new file, as it is at this moment; the service may run.",
)
app.command(
    "service.cli.archiving:archive",
    name="archive",
    help="Move the logs of finished matches out of their rows into one compressed row each.",
)
signing_keys.command(
    "service.cli.signing:listing",
    name="list",
    help="List the keys the service signs with, the newest first.",
)
signing_keys.command(
    "service.cli.signing:rotate",
    name="rotate",
    help="Make a new key for one purpose and retire the one before, which signs on for a minute.",
)
log.command(
    "service.cli.signing:new_origin",
    name="new-origin",
    help="Give the log another name, with a signed statement of the break.",
)
log.command(
    "service.cli.log_checking:check",
    name="check",
    help="Check that the log in a database is the one whose checkpoints were published.",
)
receipts.command(
    "service.cli.receipts:check",
    name="check",
    help="Check receipts, signed refusals, views, decisions and heads, without any service.",
)
keys.command(
    "service.cli.keys:list_keys",
    name="list",
    help="List the API keys, the newest first; the service may run meanwhile.",
)
keys.command(
    "service.cli.keys:create_key",
    name="create",
    help="Create an API key. It is printed once; only its hash is stored.",
)
keys.command(
    "service.cli.keys:rotate_key",
    name="rotate",
    help="Make a key in the place of another: the same scopes, name and end.",
)
keys.command(
    "service.cli.keys:revoke_key",
    name="revoke",
    help="Revoke a key, for good. A running service takes it for PLYSCRIBE_TOKEN_SECONDS at most.",
)
orgs.command(
    "service.cli.orgs:list_orgs",
    name="list",
    help="List the organisations by id; the service may run meanwhile.",
)
orgs.command(
    "service.cli.orgs:create_org",
    name="create",
    help="Create an organisation, and print its first key, which can do everything there.",
)
games.command("service.cli.games:listing", name="list", help="List the games by slug.")
games.command(
    "service.cli.games:check",
    name="check",
    help="Hold random matches of a game against the conformance laws.",
)


@app.command
def version() -> None:
    """Print the version."""
    write(installed_version("plyscribe"))


def main(tokens: Sequence[str] | None = None) -> int:
    """Run one command. 0 is well, 1 a check that failed, 2 a command that can't be done."""
    words = sys.argv[1:] if tokens is None else list(tokens)
    try:
        _show_all_help_of(words)
        code = app(
            words,
            print_error=False,
            exit_on_error=False,
            result_action="return_value",
        )
        sys.stdout.flush()
    except CycloptsError as error:
        complain(f"{first_line(error)} (plyscribe --help tells more)")
        return REFUSED
    except UnknownGame as error:
        complain(f"unknown game: {first_line(error)} (plyscribe games list shows all)")
        return REFUSED
    except OptionsRefused as error:
        complain(f"options refused: {first_line(error)}")
        return REFUSED
    except (CannotDo, SettingRefused, DatabaseFault, PluginRefused, TablesRefused) as error:
        complain(first_line(error))
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read us has enough; nothing may be flushed into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except (OSError, SQLAlchemyError) as error:
        complain(reason_of(error))
        return REFUSED
    return code if isinstance(code, int) else 0


def _show_all_help_of(words: Sequence[str]) -> None:
    """The command that is named tells its whole help, not the line that lists have of it."""
    named = app
    for word in (each for each in words if not each.startswith("-")):
        if word not in named:
            break
        named = named[word]
    if named.default_command is not None:
        named.help = None
