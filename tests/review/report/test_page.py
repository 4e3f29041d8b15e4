"""The page in a real browser: what people see, and what they can do with it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.browser import Browser, browser
from support.report_pages import MARKUP, hostile, layered, programs_of, shown

from astgen.review.programs import ReadProgram
from astgen.review.report import Shown, report
from astgen.review.timeline import curves, timelines

PHONE = (390, 844)
PROGRAM = layered(6, odd={3}, late={1})
LONG = "l_self_modules_layers_modules_2_parameters_w_"


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


def written(folder: Path, name: str, html: str) -> Path:
    path = folder / f"{name}.html"
    path.write_text(html, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def layers(folder: Path) -> Path:
    return written(folder, "layers", shown(PROGRAM).html)


@pytest.fixture(scope="module")
def two(folder: Path) -> Path:
    code = PROGRAM.code.replace("add.Tensor(b4", "mul.Tensor(b4")
    code = code.replace(
        "    b2 = ", "    more = torch.neg(a2)\n    del more\n    b2 = "
    )
    sides = [Shown("a", [PROGRAM]), Shown("b", [ReadProgram(code)])]
    return written(folder, "two", report(*sides).html)


@pytest.fixture
def page(driven: Browser, layers: Path) -> Browser:
    driven.scheme("light")
    driven.open(layers)
    return driven


@pytest.fixture(autouse=True)
def nothing_is_asked_for(driven: Browser) -> Iterator[None]:
    """No page logs anything or asks for anything, whatever a test does with it."""
    yield
    assert driven.logs() == []
    asked = [url for url in driven.requests() if not url.startswith("about:")]
    assert all(url.endswith(".html") for url in asked) and len(set(asked)) <= 1
    assert driven.run("performance.getEntriesByType('resource').length") == 0


def current(page: Browser) -> str:
    """The first line of the current statement, as the pane beside the code says it."""
    page.settle()
    return page.text("#pane-details .statement")


def line_of(start: str) -> int:
    lines = PROGRAM.code.splitlines()
    (found,) = (i for i, one in enumerate(lines, 1) if one.strip().startswith(start))
    return found


def test_it_opens_at_the_first_statement_with_all_panes_filled(page: Browser) -> None:
    assert current(page).startswith("a0 = __vllm_submods__[0](x0, layers_0_w)")
    assert "1 warning" in page.text("#chips")
    assert "contains model code" in page.text("header")
    page.click("#tab-pieces")
    assert len(page.texts("#pane-pieces tbody tr")) == 6
    page.click("#tab-constants")
    assert "torch.bfloat16" in page.text("#pane-constants")
    page.click("#tab-about")
    assert "structure" in page.text("#pane-about")


def test_the_code_is_that_of_the_program(page: Browser) -> None:
    page.click("#names")
    page.run("document.getElementById('code').scrollTo(0, 0)")
    lines = PROGRAM.code.splitlines()
    seen: dict[int, str] = {}
    for row in page.run(
        "[...document.querySelectorAll('.row.code')].map(row => "
        "[row.querySelector('.no').textContent, row.querySelector('.src').textContent])"
    ):
        number = int(row[0]) if row[0] else max(seen)
        seen[number] = (seen.get(number, "") + row[1]).replace(" ", "")
    assert len(seen) > 20
    for number, text in seen.items():
        assert text == lines[number - 1].replace(" ", "")


def test_a_finding_stands_below_its_line(page: Browser) -> None:
    page.keys("n")
    assert current(page).startswith("a1 = ")
    rows = page.texts(".window .row")
    (at,) = (i for i, text in enumerate(rows) if "AG203" in text)
    assert "a1 = " in rows[at - 1]
    assert page.texts(".wrong") == ["a1"]


def test_layers_fold_and_unfold(page: Browser) -> None:
    assert page.texts("#tree .group .name") == ["4 \u00d7 equal: 0, 2, 4, 5"]
    assert page.texts("#tree .odd .name") == ["1", "3"]
    before = len(page.texts("#tree .node"))
    page.click("#tree .group .twist")
    assert len(page.texts("#tree .node")) > before
    page.click("#fold-all")
    assert len(page.texts(".row.fold")) == 3
    assert page.find("#fold-all").get_attribute("aria-pressed") == "true"
    page.click(".row.fold .src")
    assert len(page.texts(".row.fold")) == 2
    page.keys("[")
    assert len(page.texts(".row.fold")) == 3
    page.keys("]")
    assert len(page.texts(".row.fold")) == 2


def test_the_tree_is_one_for_keys(page: Browser) -> None:
    page.run("document.querySelector('#tree [tabindex=\"0\"]').focus()")
    page.keys("\ue015", "\ue014")
    node = "document.activeElement.getAttribute('aria-expanded')"
    assert page.run(node) == "true"
    page.keys("\ue012")
    assert page.run(node) == "false"
    page.keys("\ue015", "\ue007")
    assert current(page).startswith(("a1", "a3", "a0"))


def test_hovering_tells_the_type_and_lights_the_uses_up(page: Browser) -> None:
    page.hover('[data-name="x1"]')
    says = page.text("#tip")
    assert "f32[s72, 64]" in says and "layers.0" in says and "model.py:11" in says
    assert f"line {line_of('x1 = ')}" in says
    lit = page.texts(".lit")
    assert set(lit) == {"x1"} and len(lit) == 4
    assert page.texts(".lit.binds") == ["x1"]


def test_hovering_a_short_name_tells_the_full_one(page: Browser) -> None:
    page.hover(f'[data-name="{LONG}"]')
    assert page.text("#tip strong") == LONG
    assert page.text(f'[data-name="{LONG}"]') == "layers_2_w"
    page.keys("f")
    assert page.text(f'[data-name="{LONG}"]') == LONG


def test_a_click_goes_to_what_binds_a_name_and_to_what_reads_it(page: Browser) -> None:
    find = "[...document.querySelectorAll('[data-name=\"b0\"]')]"
    page.run(f"{find}[1].click()")
    assert current(page).startswith("b0 = ")
    page.run(f"{find}[0].click()")
    assert current(page).startswith("x1 = ")


def test_a_click_on_a_slot_opens_its_table(page: Browser) -> None:
    page.run('document.querySelector(\'[data-kind="P"][data-name="1"]\').click()')
    assert page.find("#tab-pieces").get_attribute("aria-selected") == "true"
    assert "layer_1" in page.text("#pane-pieces tr.now")


def test_search_counts_goes_on_and_finds_short_names_and_types(page: Browser) -> None:
    lines = PROGRAM.code.splitlines()
    page.keys("/")
    page.keys("Tensor(b")
    assert page.text("#found") == str(sum("Tensor(b" in line for line in lines))
    page.keys("\ue007")
    assert current(page).startswith("x1 = ")
    page.keys("\ue007")
    assert current(page).startswith("x2 = ")
    assert page.text("#found") == "2 of 6"
    page.keys("\ue00c", "/", "layers_4_w")
    assert page.text("#found") == str(sum("modules_4_" in line for line in lines))
    page.keys("\ue00c", "/", "layers.5.mlp")
    assert page.text("#found") == "1"
    page.keys("\ue00c")
    assert page.run("document.activeElement.id") == "code"


def test_keys_go_from_statement_to_statement(page: Browser) -> None:
    page.keys("j", "j")
    assert current(page) == "del a0"
    page.keys("k", "\ue015", "\ue013")
    assert current(page).startswith("b0 = ")
    page.keys("G")
    assert current(page) == "return x6"
    page.keys("?")
    assert page.run("document.getElementById('help').open")
    page.keys("\ue00c")
    assert not page.run("document.getElementById('help').open")


def set_size(page: Browser, value: int) -> None:
    page.run(
        "(number => { number.value = arguments[0];"
        " number.dispatchEvent(new Event('input')); })"
        "(document.querySelector('.symbol input[type=number]'))",
        value,
    )


def test_sizes_give_the_peak_that_python_computes(page: Browser) -> None:
    known = timelines(PROGRAM)
    sizes = [2, 3, 16, 17, 333, 4096, *random.Random(1).sample(range(2, 4096), 6)]
    for size in sizes:
        wanted = curves(known, {"s72": size})["execution_fn"]
        set_size(page, size)
        page.wait(
            "document.getElementById('peak').dataset.peak === arguments[0]",
            str(wanted.peak),
        )
        assert page.find("#peak").get_attribute("data-at") == str(wanted.peak_at)
    page.click("#peak")
    body = PROGRAM.code.splitlines()[line_of("a0 = ") - 1 :]
    assert current(page)[:3] == body[wanted.peak_at].strip()[:3]


def a_size(given: random.Random, depth: int = 3) -> Any:
    """A size of any shape; some have no value for some symbols."""
    if not depth or given.random() < 0.3:
        return given.choice(["s72", given.randint(-9, 9000)])
    operator = given.choice(["+", "*", "//", "%", "min", "max"])
    parts = given.randint(2, 3)
    if operator == "*":
        return (operator, "s72", a_size(given, 0), given.randint(1, 8))
    return (operator, *(a_size(given, depth - 1) for _ in range(parts)))


def test_sizes_of_any_shape_are_what_python_says(driven: Browser, folder: Path) -> None:
    given = random.Random(7)
    known = PROGRAM.provenance
    storages = tuple(
        replace(one, size=None if given.random() < 0.1 else a_size(given))
        for one in known.storages
    )
    program = replace(PROGRAM, provenance=replace(known, storages=storages))
    driven.open(written(folder, "sizes", shown(program).html))
    lines, peaks = timelines(program), set()
    for size in range(2, 60, 3):
        wanted = curves(lines, {"s72": size})["execution_fn"]
        set_size(driven, size)
        driven.wait(
            "(peak => peak.dataset.peak === arguments[0] && "
            "peak.dataset.at === arguments[1])(document.getElementById('peak'))",
            str(wanted.peak),
            str(wanted.peak_at),
        )
        unknown = driven.texts("#facts .unsure")
        assert unknown[0].startswith(f"{wanted.unknown} value")
        peaks.add(wanted.peak)
    assert len(peaks) > 10


def test_a_slider_changes_the_number_and_the_curve(page: Browser) -> None:
    before = page.find("#curve .area").get_attribute("d")
    page.run(
        "(range => { range.value = 4000; range.dispatchEvent(new Event('input')); })"
        "(document.querySelector('.symbol input[type=range]'))"
    )
    page.wait("document.querySelector('.symbol input[type=number]').value === '4000'")
    wanted = curves(timelines(PROGRAM), {"s72": 4000})["execution_fn"].peak
    page.wait(
        "document.getElementById('peak').dataset.peak === arguments[0]", str(wanted)
    )
    assert page.find("#curve .area").get_attribute("d") != before


def test_values_that_are_held_too_long_are_red_with_their_bytes(page: Browser) -> None:
    curve = curves(timelines(PROGRAM), {"s72": 16})["execution_fn"]
    needless = sum(curve.needless.values())
    assert needless == 128 * 17
    assert "1 late or missing del: 2.13 KiB" in page.text("#facts")
    lane = ".lane:has(.needless)"
    assert page.text(f"{lane} .name") == "a1"
    page.run(
        "document.querySelector(arguments[0] + ' .bar').parentNode"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true}))",
        lane,
    )
    assert current(page).startswith("a1 = ")


def test_what_the_model_owns_is_a_figure_of_its_own(page: Browser) -> None:
    owned = curves(timelines(PROGRAM), {"s72": 16})["execution_fn"].owned
    assert f"model owns {owned / 1024:.1f} KiB" in page.text("#facts .owned")
    assert "layers_0_w" not in page.text("#lanes")
    page.click("#owned")
    assert "layers_0_w" in page.text("#lanes")


def test_without_sizes_values_are_counted(driven: Browser, folder: Path) -> None:
    driven.open(written(folder, "plain", shown(ReadProgram(PROGRAM.code)).html))
    wanted = curves(timelines(ReadProgram(PROGRAM.code)), {})["execution_fn"]
    assert driven.find("#peak").get_attribute("data-peak") == str(wanted.peak)
    assert "values are counted" in driven.text("#facts")


def test_differences_follow_each_other(driven: Browser, two: Path) -> None:
    driven.open(two)
    categories = driven.texts("#pane-differences .list .badge")
    assert categories == ["call added", "call changed"]
    assert "not compared: what" in driven.text("#chips")
    # The page opens where the first one is.
    assert driven.text("#which") == "1 of 2"
    assert driven.text(".half.now .src").strip() == "more = torch.neg(a2)"
    driven.keys("n")
    assert driven.text("#which") == "2 of 2"
    assert ".add." in driven.text(".half.now .src")
    badge = driven.text(".badges .badge.now")
    assert badge == "changed"
    driven.keys("n")
    assert driven.text("#which") == "1 of 2"
    driven.keys("p")
    assert driven.text("#which") == "2 of 2"
    row = driven.run(
        "[...document.querySelector('.row.changed:has(.badge.now)').querySelectorAll('.src')]"
        ".map(e => e.textContent)"
    )
    assert "add.Tensor(b4" in row[0] and "mul.Tensor(b4" in row[1]


def test_a_program_is_chosen_of_several(driven: Browser, folder: Path) -> None:
    some = [ReadProgram(layered(n).code, place=f"{n}.py") for n in (2, 3)]
    driven.open(written(folder, "some", shown(*some).html))
    assert driven.texts("#chooser option") == ["2.py", "3.py"]
    driven.run(
        "(box => { box.value = '1'; box.dispatchEvent(new Event('change')); })"
        "(document.getElementById('chooser'))"
    )
    driven.keys("G")
    assert current(driven) == "return x3"


def test_on_a_phone_panes_are_tabs_and_nothing_is_wider(
    driven: Browser, layers: Path, two: Path
) -> None:
    for path in (layers, two):
        driven.open(path, PHONE)
        tabs = driven.run(
            "[...document.querySelectorAll('[role=tab]')].filter(e => e.offsetParent)"
            ".map(e => e.dataset.pane)"
        )
        assert {"code", "layers", "memory", "details", "pieces"} <= set(tabs)
        for tab in tabs:
            driven.run("document.getElementById('tab-' + arguments[0]).click()", tab)
            assert driven.run("document.documentElement.scrollWidth") <= PHONE[0]
            assert driven.run("document.body.scrollWidth") <= PHONE[0]
            seen = driven.run(
                "[...document.querySelectorAll('.pane')].filter(e => e.offsetParent)"
                ".map(e => e.dataset.pane)"
            )
            assert seen == [tab]


def test_on_a_phone_what_differs_stands_below(driven: Browser, two: Path) -> None:
    driven.open(two, PHONE)
    driven.click("#tab-code")
    driven.keys("n", "n")
    rows = driven.run(
        "[...document.querySelectorAll('.row.changed .half:not(.none)')]"
        ".map(e => [e.dataset.side, e.querySelector('.src').textContent.trim()])"
    )
    assert [side for side, _ in rows[-2:]] == ["0", "1"]
    assert "add.Tensor(b4" in rows[-2][1] and "mul.Tensor(b4" in rows[-1][1]
    right = driven.run(
        "document.querySelector('.badge.now').getBoundingClientRect().right"
    )
    assert right <= PHONE[0]


def test_dark_is_as_the_system_says_or_as_the_button_does(page: Browser) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.run(ground)
    page.scheme("dark")
    dark = page.run(ground)
    assert dark != light
    page.click("#theme")
    assert page.run(ground) == light
    page.click("#theme")
    page.scheme("light")
    assert page.run(ground) == dark


def test_ten_thousand_statements_open_scroll_and_are_searched(
    driven: Browser, folder: Path
) -> None:
    program = layered(2000)
    path = written(folder, "large", shown(program).html)
    driven.open(path)
    count = len(programs_of(path.read_text("utf-8"))[0]["sides"][0]["lines"])
    assert count > 10_000
    assert driven.run("document.querySelectorAll('.row').length") < 200
    driven.run("document.getElementById('code').scrollTo(0, 1e9)")
    driven.wait(
        "document.querySelector('.window').textContent.includes('return x2000')"
    )
    driven.keys("/", "del b1999", "\ue007")
    assert driven.text("#found") == "1 of 1"
    assert current(driven) == "del b1999, x1999"
    assert driven.run("document.querySelectorAll('.row').length") < 200


def test_what_harms_is_text(driven: Browser, folder: Path) -> None:
    html = shown(hostile(), name=f"/somewhere/{MARKUP}\u202e").html
    driven.open(written(folder, "hostile", html))
    for tab in ("pieces", "constants", "findings", "about", "details"):
        driven.click(f"#tab-{tab}")
    driven.keys("j", "j", "n", "f", "[", "]", "m")
    driven.hover('[data-name="x"]')
    assert MARKUP in driven.text("#tip")
    assert "\\u2028\\u2029\\u202e\\x00\\x1b[31m\\ud800&amp;" in driven.text("#tip")
    assert driven.run("window.pwned") is None
    assert driven.run("document.querySelectorAll('img').length") == 0
    assert "</script><img" in driven.text("#pane-pieces tbody td.name")
    assert "</script><img" in driven.text("#pane-constants td.value")
    characters = driven.run("document.documentElement.outerHTML")
    assert "\u202e" not in characters and "\x00" not in characters


def test_controls_have_names_and_roles(page: Browser) -> None:
    nameless: list[Any] = page.run(
        "[...document.querySelectorAll('button, input, select, [role=tab], "
        "[role=tree], [role=grid], [role=separator]')].filter(e => e.offsetParent && "
        "!(e.textContent.trim() || e.getAttribute('aria-label') || "
        "e.getAttribute('aria-labelledby') || e.closest('label')))"
        ".map(e => e.outerHTML)"
    )
    assert nameless == []
    rows = page.run("document.getElementById('code').getAttribute('aria-rowcount')")
    assert int(rows) >= len(PROGRAM.code.splitlines())
    active = page.run(
        "document.getElementById('code').getAttribute('aria-activedescendant')"
    )
    assert page.run("document.getElementById(arguments[0]).className", active).endswith(
        "now"
    )
