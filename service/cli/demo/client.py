"""What the demonstration's programs need of HTTP. They know the API and no game."""

import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import msgspec

TRIES = 5
PAGE = 500


class Task(msgspec.Struct, frozen=True):
    """What a program is told on its standard input: credentials never stand on a command line."""

    url: str
    match_id: str
    credential: str
    seat: int | None = None
    seed: str = ""


class Served(msgspec.Struct, frozen=True):
    """What a program was served, told on its standard output. `seat` is None for a spectator."""

    seat: int | None
    moves: int
    refused: int
    view: Any
    events: list[Any]


class Door:
    """One match over HTTP, as one caller."""

    def __init__(self, task: Task) -> None:
        self._http = httpx.Client(
            base_url=task.url,
            headers={"authorization": f"Bearer {task.credential}"},
            timeout=httpx.Timeout(40),
            trust_env=False,
        )
        self._at = f"/v1/matches/{task.match_id}"

    def __enter__(self) -> "Door":
        return self

    def __exit__(self, *error: object) -> None:
        self._http.close()

    def get(self, path: str, **query: object) -> Any:
        answer = self._send("GET", path, params={k: str(v) for k, v in query.items()})
        return answer.raise_for_status().json()

    def post(self, path: str, body: object) -> httpx.Response:
        """The answer, whatever it says. Moves may be sent again: a decision is answered once."""
        return self._send("POST", path, json=body)

    def events(self, **query: object) -> list[Any]:
        """Every event the caller may see, in order."""
        found: list[Any] = []
        while True:
            page = self.get("/events", after=len(found), limit=PAGE, **query)["events"]
            if not page:
                return found
            found += page

    def follow(self) -> Iterator[Any]:
        """Events as they come; taken up after the last one when the connection breaks."""
        last = 0
        for tries in range(TRIES):
            headers = {"accept": "text/event-stream", "last-event-id": str(last)}
            try:
                with self._http.stream("GET", self._at + "/events", headers=headers) as answer:
                    answer.raise_for_status()
                    for event in _sent(answer.iter_lines()):
                        last = event["version"]
                        yield event
                return
            except httpx.TransportError:
                time.sleep(0.1 * 2**tries)
        raise ConnectionError("the stream broke too often")

    def _send(self, method: str, path: str, **parts: Any) -> httpx.Response:
        for tries in range(TRIES):
            try:
                answer = self._http.request(method, self._at + path, **parts)
                if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                    return answer
            except httpx.TransportError:
                if tries == TRIES - 1:
                    raise
            time.sleep(0.1 * 2**tries)
        return answer


def told() -> Task:
    return msgspec.json.decode(sys.stdin.buffer.read(), type=Task)


def tell(served: Served) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(served))


def _sent(lines: Iterator[str]) -> Iterator[Mapping[str, Any]]:
    """The data of server-sent events that have an id; each is one line here."""
    data = ""
    for line in lines:
        if line.startswith("data:"):
            data += line[5:].strip()
        elif not line and data:
            event = msgspec.json.decode(data)
            data = ""
            if isinstance(event, dict) and "version" in event and "kind" in event:
                yield event
