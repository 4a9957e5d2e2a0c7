"""pgbouncer between the service and its PostgreSQL, each transaction on whatever connection."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from sqlalchemy.engine import make_url

from tests import servers

# Fewer than one service uses, so that they pass from hand to hand.
CONNECTIONS = 3


class Pooler:
    """Not started yet. The address stays the same over all its lives."""

    def __init__(self, folder: Path, server_url: str, options: str = "") -> None:
        """Raises: ServerMissing."""
        found = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin")
        if found is None:
            raise servers.ServerMissing("pgbouncer: install your system's package")
        target = make_url(server_url)
        self._port = servers.free_port()
        self._log = folder / "log"
        self._process: subprocess.Popen[bytes] | None = None
        self._command = [found, str(folder / "pgbouncer.ini")]
        at = target.set(host="127.0.0.1", port=self._port)
        self._url = at.render_as_string(hide_password=False)
        self.url = f"{self._url}?pooling=transaction"
        (folder / "users").write_text(f'"{target.username}" "{target.password or ""}"\n')
        (folder / "pgbouncer.ini").write_text(
            f"[databases]\n* = host={target.host} port={target.port or 5432}\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {self._port}\n"
            "unix_socket_dir =\nauth_type = trust\npool_mode = transaction\n"
            f"auth_file = {folder / 'users'}\ndefault_pool_size = {CONNECTIONS}\n"
            # At once again, when its server was away.
            f"server_login_retry = 0.2\n{options}"
        )

    def start(self) -> None:
        """Returns when it leads to the database."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, user=servers._user(), stdout=log, stderr=log, cwd="/"
            )
        servers._until(lambda: psycopg.connect(self._url, connect_timeout=5).close(), psycopg.Error)

    def kill(self) -> None:
        """kill -9."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()


@contextmanager
def pooler(server_url: str, options: str = "") -> Iterator[Pooler]:
    """To a database; started, gone after the block. Raises: ServerMissing."""
    folder = Path(tempfile.mkdtemp(prefix="plyscribe-"))
    try:
        made = Pooler(folder, server_url, options)
        for path in (folder, *folder.iterdir()):
            if (user := servers._user()) is not None:
                shutil.chown(path, user)
        made.start()
        try:
            yield made
        finally:
            made.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
