"""What `options=` of torch.compile may hold."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest
import torch

from astgen.backend import BackendOptions, astgen_backend, parse_options
from astgen.errors import BackendError


def test_nothing_given_means_attention_and_eager_pieces():
    for nothing in (None, {}):
        options = parse_options(nothing)
        assert options == BackendOptions()
        assert "scaled_dot_product_attention" in options.splitting_ops
        assert options.pieces == "eager"


def test_given_options_are_taken():
    options = parse_options({"splitting_ops": ["aten::relu"], "pieces": "inductor"})
    assert options == BackendOptions(("aten::relu",), "inductor")
    assert parse_options({"splitting_ops": []}).splitting_ops == ()


def test_options_do_not_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        BackendOptions().pieces = "inductor"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"splitting_op": ["relu"]},
            "no option 'splitting_op'; nearest: 'splitting_ops'; "
            "accepted: 'cache_dir', 'check_ranks', 'pieces', 'provenance', "
            "'splitting_ops', 'trust_cache'",
        ),
        ({"zzz": 1}, "no option 'zzz'; accepted: 'cache_dir', 'check_ranks'"),
        (
            {"pieces": "inducter"},
            "option 'pieces' has no value 'inducter'; nearest: 'inductor'; "
            "accepted: 'eager', 'inductor'",
        ),
        ({"pieces": None}, "option 'pieces' has no value None; accepted: 'eager'"),
        ({"pieces": ["eager"]}, "option 'pieces' has no value ['eager']"),
        (
            {"splitting_ops": "relu"},
            "option 'splitting_ops' takes a list of operator names, got 'relu'",
        ),
        ({"splitting_ops": [torch.relu]}, "takes a list of operator names"),
        ({"cache_dir": ""}, "option 'cache_dir' takes the path of a folder, got ''"),
        ({"cache_dir": 5}, "option 'cache_dir' takes the path of a folder, got 5"),
        ({"cache_dir": "c\0x"}, "takes the path of a folder, got 'c\\x00x'"),
        ({"cache_dir": "~\0"}, "takes the path of a folder, got '~\\x00'"),
        ({"cache_dir": "~no-such-user/c"}, "write './~no-such-user/c' for a folder"),
        ({"check_ranks": 1}, "takes True, False or a process group, got 1"),
        ({"check_ranks": None}, "takes True, False or a process group, got None"),
        ({"check_ranks": True}, "call torch.distributed.init_process_group before"),
        ({"splitting_ops": ["aten::rleu"]}, "nearest: 'aten::relu'"),
    ],
)
def test_what_is_not_known_is_refused(options, message):
    with pytest.raises(BackendError) as caught:
        parse_options(options)
    assert message in str(caught.value)


@pytest.mark.skipif(os.name == "nt", reason="Windows has names such as this")
def test_a_folder_has_a_name_that_the_file_system_can_have():
    with pytest.raises(BackendError, match="the file system has no names such as"):
        BackendOptions(cache_dir="c\ud800")


def test_a_tilde_is_the_home_directory(monkeypatch, tmp_path):
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    for path in ("~/c", Path("~/c"), str(tmp_path / "c")):
        assert Path(parse_options({"cache_dir": path}).cache_dir) == tmp_path / "c"
    assert BackendOptions(cache_dir="c~/~").cache_dir == "c~/~"


def test_an_error_comes_before_anything_is_compiled():
    options = {"splitting_ops": ["aten::rleu"]}
    compiled = torch.compile(lambda x: x + 1, backend=astgen_backend, options=options)
    with pytest.raises(Exception, match="nearest: 'aten::relu'") as caught:
        compiled(torch.randn(2))
    assert isinstance(caught.value.inner_exception, BackendError)


def test_modes_are_refused():
    compiled = torch.compile(
        lambda x: x + 1, backend=astgen_backend, mode="max-autotune"
    )
    with pytest.raises(Exception, match="has no mode 'max-autotune'; leave `mode` out"):
        compiled(torch.randn(2))
