"""Events, positions and verdicts in lines that people read."""

from collections.abc import Iterable
from typing import Any

import msgspec

from projections.differences import Changes, DiffChange, facts
from service.cli.checking import Verdict
from service.cli.terminal import write

_INDENT = " " * 9


def tell(seen: dict[str, Any], texts: dict[str, str], changed: Changes) -> None:
    """One event, and what changed by it in the position, as one viewer saw both."""
    write(f"{seen['version']:>5}  {_headline(seen)}{_asks(seen)}")
    for name, text in texts.items():
        write(f"{_INDENT}{name}: {text}")
    for each in seen.get("reveals", ()):
        write(f"{_INDENT}opens seat {each['seat']}: {_move(each['move'])}")
    for path, leaf in changed.leaves.items():
        write(f"{_INDENT}{path} = {_json(leaf)}")
    for path in changed.gone:
        write(f"{_INDENT}{path} is gone")


def tell_position(shown: dict[str, Any]) -> None:
    for path, leaf in facts(shown).items():
        write(f"{path} = {_json(leaf)}")


def tell_changes(found: Iterable[DiffChange]) -> None:
    for each in found:
        match each.kind:
            case "gone":
                write(f"- {each.path} = {_json(each.before)}")
            case "added":
                write(f"+ {each.path} = {_json(each.after)}")
            case _:
                write(f"  {each.path}: {_json(each.before)} -> {_json(each.after)}")


def tell_verdict(verdict: Verdict) -> None:
    for fault in verdict.faults:
        write(f"wrong: {fault}")
    for limit in verdict.unchecked:
        write(f"not checked: {limit}")
    write(f"checked: {', '.join(verdict.checked)}")
    outcome = "all of it holds" if verdict.ok else "it does not hold"
    write(f"{verdict.version} events, head {verdict.head[:16]}: {outcome}")


def _headline(seen: dict[str, Any]) -> str:
    kind = seen["kind"].replace("_", " ")
    match seen["kind"]:
        case "move_played":
            by = "" if seen.get("by", "seat") == "seat" else f" (by {seen['by']})"
            aside = "" if seen.get("decision") else " (aside)"
            return f"{kind}: seat {seen['seat']}{by}{aside} {_move(seen.get('move'))}"
        case "chance_drawn":
            drawn = _move(seen["move"]) if seen.get("move") else f"places {seen.get('picks')}"
            return f"{kind}: {seen['label']}: {'hidden' if _is_hidden(seen) else drawn}"
        case _:
            where = f": seat {seen['seat']}" if seen.get("seat") is not None else ""
            told = [f" {_json(seen['data'])}"] if seen.get("data") else []
            told += [f" {name} {_json(seen[name])}" for name in ("outcome", "seed") if name in seen]
            return f"{kind}{where}" + "".join(told)


def _is_hidden(seen: dict[str, Any]) -> bool:
    return seen.get("move") is None and "picks" not in seen


def _asks(seen: dict[str, Any]) -> str:
    asked = seen.get("asks")
    return f"  [asks {', '.join(map(str, asked))}]" if asked else ""


def _move(move: dict[str, Any] | None) -> str:
    if move is None:
        return "something hidden"
    fields = [f"{name}={_json(value)}" for name, value in move.items() if name != "type"]
    return " ".join([str(move["type"]), *fields])


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
