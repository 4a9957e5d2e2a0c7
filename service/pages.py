"""The page of each problem type, rendered from its prose in service/problems."""

from functools import cache
from html import escape
from importlib.resources import files
from re import sub


@cache
def problem_page(code: str) -> tuple[str, str]:
    """The prose of a type, and the same as HTML. `code` is one of errors.CODES."""
    text = files("service").joinpath("problems", f"{code}.md").read_text("utf-8").strip()
    return text, "".join(_block(each) for each in text.split("\n\n"))


def _block(block: str) -> str:
    if block.startswith("# "):
        return f"<h2>{_inline(block[2:])}</h2>"
    if block.startswith("- "):
        items = block.removeprefix("- ").split("\n- ")
        return "<ul>" + "".join(f"<li>{_inline(item)}</li>" for item in items) + "</ul>"
    return f"<p>{_inline(block)}</p>"


def _inline(text: str) -> str:
    return sub(r"`([^`]+)`", r"<code>\1</code>", escape(text.replace("\n", " ")))
