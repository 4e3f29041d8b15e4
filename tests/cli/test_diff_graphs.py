"""Two caches whose texts are the same: the readable graphs say what differs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.review_texts import vllm_text

from astgen.cli import main

HOME = "/opt/env/lib/python3.12/site-packages/"
LAYER = """\
    class submod_{n}(torch.nn.Module):
        def forward(self, x: "f32[s72, 8]", w: "f32[8]"):
            # File: {home}model/norm.py:7 in forward, code: x * self.weight
            data: "f32[8]" = get(l_self_modules_layers_modules_{n}_modules_norm_parameters_weight_);  l_self_ = None

            # File: {home}model/norm.py:9 in forward, code: x + self.eps
            add_{n}: "f32[s72, 8]" = mul_{n} + {eps};  mul_{n} = None
            return add_{n}

"""


def cache(folder: Path, *eps: float, home: str = HOME) -> str:
    place = folder / "hash" / "rank_0_0" / "backbone"
    place.mkdir(parents=True)
    layers = (LAYER.format(n=n, eps=one, home=home) for n, one in enumerate(eps))
    (place / "computation_graph.py").write_text(
        "class GraphModule():\n" + "".join(layers)
    )
    (folder / "code.py").write_text(vllm_text(2))
    return str(folder)


def diff(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["diff", *arguments])


def test_the_line_that_differs_is_told_with_its_place(tmp_path: Path) -> None:
    left = cache(tmp_path / "a", 1e-5, 1e-5, 1e-5)
    right = cache(tmp_path / "b", 1e-5, 1e-3, 1e-5, home="/elsewhere/site-packages/")
    graph = "hash/rank_0_0/backbone/computation_graph.py"
    lines = (tmp_path / "b" / graph).read_text().splitlines()
    (number,) = [place for place, line in enumerate(lines, 1) if "+ 0.001" in line]
    result = diff(left, right)
    assert result.exit_code == 0
    assert result.output.splitlines()[2:] == [
        "identical",
        "not compared: what 2 pieces do; a source has no provenance",
        f"--- {left}/{graph}",
        f"+++ {right}/{graph}",
        f"line {number}: submod_1, near layers.1.norm, model/norm.py:9 in forward, code: "
        "x + self.eps",
        '  - add_1: "f32[s72, 8]" = mul_1 + 1e-05',
        '  + add_1: "f32[s72, 8]" = mul_1 + 0.001',
        "",
        "graphs of the pieces: 1 line differs",
    ]
    assert diff(left, right, "--exit-code").exit_code == 1
    (record,) = json.loads(diff(left, right, "--json").output)["graphs"]
    (one,) = record["differences"]
    assert (one["left"]["line"], one["right"]["line"]) == (number, number)


def test_other_places_of_the_model_are_no_difference(tmp_path: Path) -> None:
    left = cache(tmp_path / "a", 1e-5, 1e-5)
    right = cache(tmp_path / "b", 1e-5, 1e-5, home="/elsewhere/site-packages/")
    result = diff(left, right, "--exit-code")
    assert result.exit_code == 0
    assert result.output.endswith("graphs of the pieces: identical\n")


def test_lines_that_one_side_has_are_told(tmp_path: Path) -> None:
    left = cache(tmp_path / "a", 1e-5)
    result = diff(left, cache(tmp_path / "b", 1e-5, 1e-5))
    assert "graphs of the pieces: 3 lines differ" in result.output
    assert "  - " not in result.output


def test_thousands_of_differences_are_cut_and_counted(tmp_path: Path) -> None:
    left = cache(tmp_path / "a", *[1e-5] * 300)
    result = diff(left, cache(tmp_path / "b", *[1e-3] * 300))
    assert "and 250 more lines\n" in result.output
    assert result.output.endswith("300 lines differ\n")


@pytest.mark.parametrize("data", [b"", b"\xff\x00\x1b[31m", b"class x(\n" * 10_000])
def test_what_is_no_graph_is_compared_all_the_same(tmp_path: Path, data: bytes) -> None:
    left, right = cache(tmp_path / "a", 1e-5), cache(tmp_path / "b", 1e-5)
    (path,) = Path(right).rglob("computation_graph.py")
    path.write_bytes(data)
    result = diff(left, right)
    assert result.exit_code == 0 and "\x1b" not in result.output
    assert "graphs of the pieces: " in result.output


def test_one_program_of_a_cache_has_no_graphs(tmp_path: Path) -> None:
    left, right = cache(tmp_path / "a", 1e-5), cache(tmp_path / "b", 1e-3)
    result = diff(left, right, "--member", "code.py")
    assert "graphs of the pieces" not in result.output


def test_graphs_that_both_have_are_compared_if_one_has_more(tmp_path: Path) -> None:
    left, right = cache(tmp_path / "a", 1e-5), cache(tmp_path / "b", 1e-3)
    more = tmp_path / "b" / "another" / "computation_graph.py"
    more.parent.mkdir()
    more.write_text("")
    result = diff(left, right)
    assert result.output.count("graphs of the pieces: 1 line differs") == 1


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    left, right = cache(tmp_path / "a", 1e-5), cache(tmp_path / "b", 1e-5)
    (path,) = Path(right).rglob("computation_graph.py")
    path.unlink()
    os.mkfifo(path)
    result = diff(left, right)
    assert result.exit_code == 2
    assert "computation_graph.py" in result.output and "a pipe" in result.output
