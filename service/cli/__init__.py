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
app.command("service.cli.serving:serve", name="serve")
app.command("service.cli.serving:migrate", name="migrate")
app.command("service.cli.doctor:doctor", name="doctor")
app.command("service.cli.demo.stage:demo", name="demo")
app.command("service.cli.replaying:replay", name="replay")
app.command("service.cli.differing:diff", name="diff")
app.command("service.cli.verifying:verify", name="verify")
app.command("service.cli.moving:export_org", name="export")
app.command("service.cli.moving:import_org", name="import")
app.command("service.cli.tournament_files:export_trf", name="export-trf")
app.command("service.cli.tournament_files:export_pods", name="export-pods")
app.command("service.cli.monitoring:monitor", name="monitor")
app.command("service.cli.bot.command:bot", name="bot")
app.command("service.cli.erasing:erase", name="erase")
app.command("service.cli.backing_up:backup", name="backup")
app.command("service.cli.archiving:archive", name="archive")
signing_keys.command("service.cli.signing:listing", name="list")
signing_keys.command("service.cli.signing:rotate", name="rotate")
log.command("service.cli.signing:new_origin", name="new-origin")
log.command("service.cli.log_checking:check", name="check")
receipts.command("service.cli.receipts:check", name="check")
keys.command("service.cli.keys:list_keys", name="list")
keys.command("service.cli.keys:create_key", name="create")
keys.command("service.cli.keys:rotate_key", name="rotate")
keys.command("service.cli.keys:revoke_key", name="revoke")
orgs.command("service.cli.orgs:list_orgs", name="list")
orgs.command("service.cli.orgs:create_org", name="create")
games.command("service.cli.games:listing", name="list")
games.command("service.cli.games:check", name="check")


@app.command
def version() -> None:
    """Print the version."""
    write(installed_version("plyscribe"))


def main(tokens: Sequence[str] | None = None) -> int:
    """Run one command. 0 is well, 1 a check that failed, 2 a command that can't be done."""
    try:
        code = app(
            None if tokens is None else list(tokens),
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
