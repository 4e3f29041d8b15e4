"""The page: one file that asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

__all__ = ["SCRIPTS", "page"]

SCRIPTS = (
    "base.js",
    "data.js",
    "sizes.js",
    "rows.js",
    "code.js",
    "hover.js",
    "tree.js",
    "panes.js",
    "chart.js",
    "lanes.js",
    "splits.js",
    "ruler.js",
    "diff.js",
    "search.js",
    "main.js",
)
"""The parts of the script, in order."""

_PANES = (
    ("code", "Code", True),
    ("layers", "Layers", True),
    ("memory", "Memory", True),
    ("details", "Statement", False),
    ("pieces", "Pieces", False),
    ("constants", "Constants", False),
    ("findings", "Findings", False),
    ("differences", "Differences", False),
    ("about", "About", False),
)
"""Names, titles, and whether a pane is always there where there is room."""

_KEYS = (
    (("j", "k"), "next, previous statement; arrows do the same"),
    (("n", "p"), "next, previous finding or difference"),
    (("[", "]"), "fold, unfold the layer around the statement"),
    (("/",), "search; Enter goes on, Shift+Enter goes back"),
    (("m",), "the statement at the peak"),
    (("f",), "full names, or short ones"),
    (("g", "G"), "the beginning, the end"),
    (("?",), "this list"),
    (("Esc",), "out of search and lists; puts out the light on a name"),
)

_HOME = "astgen.review.report"
_UNSAFE = {
    ord(char): f"\\u{ord(char):04x}" for char in ("<", ">", "&", "\u2028", "\u2029")
}


def page(title: str, data: Sequence[Any], about: Any) -> str:
    """Make a page.

    Args:
        title: What it is called.
        data: What it has of each program, as values of JSON.
        about: What is said of all of them, likewise.

    Returns:
        The page. The same for the same data.
    """
    parts = "\n".join(_part(name) for name in SCRIPTS)
    script = f'"use strict";\n(() => {{\n{parts}}})();\n'
    style = _part("report.css")
    policy = (
        f"default-src 'none'; script-src {_source(script)}; "
        f"style-src {_source(style)}; base-uri 'none'; form-action 'none'"
    )
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True
    )
    return environment.from_string(_part("report.html.j2")).render(
        title=title,
        panes=_PANES,
        keys=_KEYS,
        policy=policy,
        style=_trusted(style),
        script=_trusted(script),
        about=_trusted(_json(about)),
        programs=[_trusted(_json(one)) for one in data],
    )


@cache
def _part(name: str) -> str:
    return (files(_HOME) / name).read_text(encoding="utf-8")


def _source(text: str) -> str:
    """What a policy calls a text that stands in the page."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _trusted(text: str) -> Markup:
    """Text that goes into the page as it is: our own, or JSON without markup."""
    return Markup(text)


def _json(value: Any) -> str:
    """A value of JSON in which nothing can end the element that it stands in."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.translate(_UNSAFE)
