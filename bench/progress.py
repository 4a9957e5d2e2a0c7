"""What is measured now, on a terminal as one line that changes, elsewhere as a line a round."""

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn


class Watched:
    """All parts of a run; `tell` is for the part that was begun last."""

    def __init__(self, console: Console, parts: int) -> None:
        self._console = console
        self._parts = parts
        self._done = -1
        self._part = ""
        self._round = ""
        self._began = time.monotonic()
        columns = (BarColumn(20), TimeElapsedColumn(), TextColumn("{task.description}"))
        self._bar = Progress(*columns, console=console, transient=True)
        self._task: TaskID = self._bar.add_task("", total=parts)

    def begin(self, part: str) -> None:
        self._done += 1
        self._part = part
        self.tell("", 0)

    def tell(self, what: str, share: float) -> None:
        text = f"{self._part} · {what}" if what else self._part
        self._bar.update(self._task, completed=self._done + share, description=text)
        told = text.rpartition(":")[0] or text
        if not self._console.is_terminal and told != self._round:
            self._round = told
            self._console.print(f"· {round(time.monotonic() - self._began):4} s  {told}")

    def __enter__(self) -> "Watched":
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()
