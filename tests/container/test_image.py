"""The image's program under the image's restrictions: no rights, and hardly a place to write."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from service.settings import PREFIX, from_environment
from tests import servers
from tests.container import dockerfile, jail
from tests.container.jail import PROGRAM, Jail
from tests.faults.players import insisting_client, open_table, play_out
from tests.faults.serving import KEY, SECONDS, SECRET
from tests.helm.rendering import EVERYTHING, environment, only, pod_of, rendered, web, worker

ROOT = Path(__file__).parents[2]
USER = int(dockerfile.one("USER").partition(":")[0])
ENTRY = dockerfile.words("ENTRYPOINT")
SECRETS = ("DATABASE_URL", "SECRET_KEY", "ADMIN_KEY", "REDIS_URL")


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, installed out of a wheel made of what the image is made of."""
    folder = tmp_path_factory.mktemp("image")
    source = folder / "source"
    source.mkdir()
    for name in copied():
        subprocess.run(["cp", "-r", ROOT / name, source], check=True)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wheel: list[str | Path] = [
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--wheel-dir",
        folder,
        source,
    ]
    subprocess.run([*pip, "wheel", *wheel], check=True)
    (made,) = folder.glob("*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--target", folder / "app", made],
                   check=True)  # fmt: skip
    return folder / "app"


@pytest.fixture
def made(app: Path, tmp_path: Path) -> Jail:
    jail.require()
    return Jail(tmp_path, app, USER, ("/tmp", dockerfile.one("VOLUME")))


def copied() -> list[str]:
    """What is copied out of the project into the image."""
    own = [rest.split() for word, rest in dockerfile.instructions() if word == "COPY"]
    return [name for each in own if not each[0].startswith("--from") for name in each[:-1]]


@contextmanager
def serving(own: Jail, command: Sequence[str], environ: dict[str, str]) -> Iterator[list[str]]:
    process = own.start([*ENTRY, *command], environ)
    said: list[str] = []
    try:
        assert process.stdout is not None
        for line in process.stdout:
            said.append(line)
            if line.startswith("address"):
                break
        else:
            raise AssertionError("".join(said))
        yield said
    finally:
        own.kill(process)


def pid_of(port: int) -> dict[str, str]:
    """The status of the process that listens on a port of ours, as /proc has it."""
    for each in Path("/proc").iterdir():
        try:
            if each.name.isdigit() and str(port).encode() in (each / "environ").read_bytes():
                lines = (each / "status").read_text().splitlines()
                status = {n: v.strip() for n, _, v in (line.partition(":") for line in lines)}
                if status["Name"].startswith(("plyscribe", "python")):
                    return status
        except (OSError, KeyError):
            continue
    raise AssertionError("nobody listens")


async def play(port: int, key: str) -> None:
    async with insisting_client(f"http://127.0.0.1:{port}") as http:
        assert (await http.get("/readyz")).status_code == 200
        assert (await http.get("/startupz")).status_code == 200
        await play_out(http, await open_table(http, rounds=1))


def ended(port: int) -> None:
    with pytest.raises(httpx.TransportError):
        httpx.get(f"http://127.0.0.1:{port}/livez", timeout=SECONDS)


def test_the_restrictions_bite(made: Jail) -> None:
    probe = """
import os, sys
for path in sys.argv[1:]:
    try:
        open(path + "/probe", "w").close()
        print(path, "written")
    except OSError as error:
        print(path, error.strerror)
print(os.getuid(), os.getgroups(), open("/proc/self/status").read())
"""
    folders = ["/", "/etc", PROGRAM, sys.prefix, "/usr", "/tmp", "/data"]
    code, said = made.run(["python", "-c", probe, *folders], {})
    assert code == 0, said
    lines = said.splitlines()
    refused = [line for line in lines[:5] if line.endswith(("Read-only file system", "denied"))]
    assert len(refused) == 5, said
    assert lines[5:7] == ["/tmp written", "/data written"]
    assert lines[7].startswith(f"{USER} []")
    assert "NoNewPrivs:\t1" in lines
    assert {f"Cap{each}:\t0000000000000000" for each in ("Prm", "Eff", "Bnd")} <= set(lines)


async def test_the_image_plays_on_sqlite_in_its_volume(made: Jail) -> None:
    port = servers.free_port()
    environ = own_environment() | {
        PREFIX + "PORT": str(port),
        PREFIX + "ADMIN_KEY": KEY,
    }
    with serving(made, dockerfile.words("CMD"), environ):
        await play(port, KEY)
        status = pid_of(port)
        assert status["Uid"].split() == [str(USER)] * 4
        assert (int(status["CapEff"], 16), status["NoNewPrivs"]) == (0, "1")
        health = json.loads(dockerfile.one("HEALTHCHECK").partition("CMD")[2])
        done = await asyncio.to_thread(made.run, health, environ)
        assert done[0] == 0, done[1]
    ended(port)
    assert (await asyncio.to_thread(made.run, health, environ))[0] != 0


async def test_the_chart_plays_on_postgresql_with_nothing_to_write_but_tmp(
    made: Jail, postgres_server: str, redis_url: str
) -> None:
    """With the very arguments and variables of the chart's migration and its pods."""
    url = servers.create_database(postgres_server, "image")
    bare = Jail(made.folder, made.app, USER, ("/tmp",))
    kinds = {"web": {"processes": 2}, "worker": {"processes": 1}}
    objects = rendered({**EVERYTHING, **kinds, "gameTables": {}, "graphqlOperations": {}})
    ports = {name: servers.free_port() for name in ("PORT", "METRICS_PORT")}
    of_worker = {PREFIX + name: str(servers.free_port()) for name in ports}
    standing_for = dict(zip(SECRETS, (url, SECRET, KEY, redis_url), strict=True))

    def environ_of(workload: dict[str, Any]) -> dict[str, str]:
        given = environment(pod_of(workload)["containers"][0])
        others = {name: "x-key=secret" for name in given if not name.startswith(PREFIX)}
        own = {name.removeprefix(PREFIX): given[name] for name in given if name not in others}
        own |= {name: standing_for[name] for name in own if name in standing_for}
        own |= {name: str(port) for name, port in ports.items() if name in own}
        named = {PREFIX + name: value for name, value in own.items()}
        return own_environment() | others | named

    def args_of(workload: dict[str, Any]) -> list[str]:
        return list(pod_of(workload)["containers"][0]["args"])

    deployment, behind, job = web(objects), worker(objects), only(objects, "Job")
    try:
        code, said = await asyncio.to_thread(bare.run, [*ENTRY, *args_of(job)], environ_of(job))
        assert code == 0, said
        with (
            serving(bare, args_of(deployment), environ_of(deployment)),
            serving(bare, args_of(behind), environ_of(behind) | of_worker),
        ):
            await play(ports["PORT"], KEY)
            async with httpx.AsyncClient(timeout=SECONDS) as http:
                told = await http.get(f"http://127.0.0.1:{ports['METRICS_PORT']}/metrics")
            assert re.search(r"^plyscribe_stream_limit 2e\+06$", told.text, re.MULTILINE)
            code, said = await asyncio.to_thread(
                bare.run, [*ENTRY, "doctor", "--json"], environ_of(deployment)
            )
        found = {each["check"]: each["status"] for each in json.loads(said)["checks"]}
        assert code == 0, said
        assert {
            found[each] for each in ("database", "schema", "clock", "keys", "roles", "redis")
        } == {"ok"}
    finally:
        servers.drop_database(postgres_server, "image")


def own_environment() -> dict[str, str]:
    """The image's, without the path to a Python that is elsewhere here."""
    return {name: v for name, v in dockerfile.environment().items() if name != "PATH"}


def test_the_image_is_made_of_what_is_pinned_by_hash() -> None:
    runs = [rest for word, rest in dockerfile.instructions() if word == "RUN"]
    commands = [part.strip() for run in runs for part in re.split("&&", run)]
    installs = [each for each in commands if re.search(r"\bpip\b.* install", each)]
    assert len(installs) == 3
    for each in installs:
        assert "--require-hashes" in each or "--no-deps --no-index" in each
    for name in re.findall(r"--requirement (\S+)", " ".join(commands)):
        assert "--hash=sha256:" in (ROOT / name).read_text("utf-8")


def test_all_that_is_copied_is_there_and_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    let_in = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    assert set(copied()) == let_in
    assert all((ROOT / name).exists() for name in copied())
    assert ignored[1] == "*"


def test_the_chart_runs_as_the_user_of_the_image() -> None:
    for kind in ("Deployment", "Job", "Pod"):
        for each in (one for one in rendered(EVERYTHING) if one["kind"] == kind):
            security = pod_of(each)["securityContext"]
            assert (security["runAsUser"], security["runAsGroup"]) == (USER, USER)
    assert USER > 0


def test_compose_sets_what_the_service_knows_and_no_secret() -> None:
    document = yaml.safe_load((ROOT / "docker-compose.yaml").read_text("utf-8"))
    every = document["services"]
    for name in ("plyscribe", "migrate"):
        own = every[name]
        given = {variable: str(value) for variable, value in own["environment"].items()}
        filled = {
            variable: re.sub(r"\$\{(\w+):\?[^}]*\}", lambda m: "ab" * 32, value)
            for variable, value in given.items()
        }
        settings = from_environment(filled)
        assert settings.database_url.endswith("@postgres/plyscribe")
        assert settings.redis_url == "redis://redis:6379"
        assert given[PREFIX + "SECRET_KEY"].startswith("${PLYSCRIBE_SECRET_KEY:?")
        assert (own["read_only"], own["tmpfs"], own["cap_drop"]) == (True, ["/tmp"], ["ALL"])
        for other in own["depends_on"]:
            assert other in every
    published = [each.rpartition(":")[2] for each in every["plyscribe"]["ports"]]
    settings = from_environment(
        {PREFIX + "METRICS_PORT": every["plyscribe"]["environment"][PREFIX + "METRICS_PORT"]}
    )
    assert published == [str(settings.port), str(settings.metrics_port)]
    password = every["postgres"]["environment"]["POSTGRES_PASSWORD"]
    assert password.startswith("${POSTGRES_PASSWORD:?")
