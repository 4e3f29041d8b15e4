"""What a terminal is shown of text from files: everything visible, nothing obeyed."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from support.lint_reports import awkward, render

from astgen.lint.output.cells import cells, cut, printable, printable_path

EVERY_CHARACTER = [chr(code) for code in range(sys.maxunicode + 1)]


def test_no_character_reaches_a_terminal_that_it_obeys_or_hides() -> None:
    shown = "".join(printable(char) for char in EVERY_CHARACTER)
    assert shown.isprintable()
    assert shown.encode("utf-8")
    directions = {unicodedata.bidirectional(char) for char in set(shown)}
    assert not directions & {"R", "AL", "AN", "LRE", "RLE", "LRO", "RLO", "PDF"}
    assert not set(shown) & set("\u3164\ufe0f\u200b\u200d\ufeff\u2028\u00ad\u00a0")


def test_ascii_and_letters_are_shown_as_they_are() -> None:
    for text in ("x = torch.add(y, 1)", "größe", "量子", "n\u0303", "Ω ≤ 1"):
        assert printable(text) == text


@pytest.mark.parametrize(
    "text, shown",
    [
        ("\x1b[31m", r"\x1b[31m"),
        ("a\x00b", r"a\x00b"),
        ("a\r\nb", r"a\r\nb"),
        ("a\tb", r"a\tb"),
        ("\udce9", r"\udce9"),
        ("\u202eabc\u202c", r"\u202eabc\u202c"),
        ("\U000e0041", r"\U000e0041"),
    ],
)
def test_others_are_escaped_as_python_writes_them(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_bytes_of_file_names_are_shown_as_bytes() -> None:
    name = b"\xff\xfe caf\xc3\xa9\x1b\n.py".decode("utf-8", "surrogateescape")
    assert printable_path(name) == r"\xff\xfe café\x1b\n.py"
    assert printable_path("\ud800\udc7f\udd00") == r"\ud800\udc7f\udd00"


def test_marks_are_shown_on_letters_but_never_piled_up() -> None:
    assert printable("e" + "\u0301" * 4) == "e\u0301\u0301" + r"\u0301" * 2


@pytest.mark.parametrize(
    "text, width",
    [("abc", 3), ("量子", 4), ("e\u0301", 1), ("\t", 4), ("\x1b", 4), ("ＡＢ", 4)],
)
def test_cells_are_counted_as_terminals_count_them(text: str, width: int) -> None:
    assert sum(cell for _, cell in cells(text)) == width


def test_a_line_that_fits_is_not_cut() -> None:
    line = "y = torch.add(x, inf)"
    found = cut(line, 17, 20, len(line))
    assert (found.shown, found.before, found.marked) == (line, 17, 3)


def test_a_long_line_is_cut_around_what_is_marked() -> None:
    line = "a" * 1000 + "WRONG" + "b" * 1000
    found = cut(line, 1000, 1005, 27)
    assert found.shown == "…" + "a" * 10 + "WRONG" + "b" * 10 + "…"
    assert found.shown[found.before :][: found.marked] == "WRONG"


def test_room_that_one_side_does_not_need_goes_to_the_other() -> None:
    line = "a" * 1000 + "WRONG" + "bc"
    assert cut(line, 1000, 1005, 27).shown == "…" + "a" * 18 + "WRONGbc"


def test_of_what_does_not_fit_the_beginning_is_shown() -> None:
    found = cut("x = " + "y" * 500, 4, 504, 20)
    assert found.shown == "…" + "y" * 18 + "…"
    assert (found.before, found.marked) == (1, 18)


@pytest.mark.parametrize("place", [(99, 99), (-5, -3), (3, 1), (3, 3)])
def test_a_place_outside_of_the_line_has_a_caret_all_the_same(
    place: tuple[int, int],
) -> None:
    found = cut("abc", *place, 20)
    assert found.shown == "abc"
    assert found.marked == 1
    assert 0 <= found.before <= 3


@pytest.mark.parametrize("name", ["full", "concise", "github", "junit"])
def test_reports_for_people_have_nothing_but_printable_lines(name: str) -> None:
    text = render(awkward(), name)
    assert "\\x1b[2J" in text
    assert all(line.isprintable() for line in text.split("\n"))


def test_colours_are_the_only_escapes() -> None:
    plain, colored = (render(awkward(), "full", color=color) for color in (False, True))
    allowed = ("1;31", "1;33", "1;36", "1;34", "1", "36", "0")
    for code in allowed:
        assert f"\x1b[{code}m" in colored
        colored = colored.replace(f"\x1b[{code}m", "")
    assert colored == plain
