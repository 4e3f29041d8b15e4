"""Inputs that are made of others."""

from __future__ import annotations

import pytest
import torch

from astgen.cli.inputs import Inputs


def marked(*shape, dim=0, **bounds):
    tensor = torch.arange(torch.Size(shape).numel()).reshape(shape)
    torch._dynamo.mark_dynamic(tensor, dim, **bounds)
    return tensor


def test_a_copy_shares_nothing_and_keeps_marks_and_aliases():
    x = marked(4, 3)
    copied = Inputs((x, x[1]), {"again": x}).copied()
    copied.args[0].zero_()
    assert x.any() and not copied.args[1].any()
    assert copied.kwargs["again"] is copied.args[0]
    assert copied.args[0]._dynamo_dynamic_indices == {0}


def test_no_mark_of_dynamo_is_left_without_marks():
    (x,) = Inputs((marked(4, 3, min=2),), {}).without_marks().args
    assert not [name for name in vars(x) if "dynamo" in name]


def test_shuffled_values_are_the_given_ones():
    torch.manual_seed(0)
    x = torch.arange(60.0).view(3, 20)
    (y,) = Inputs((x.t(),), {}).shuffled().args
    assert not torch.equal(y, x.t())
    assert torch.equal(y.flatten().sort().values, x.flatten())
    assert y.stride() == x.t().stride()


def test_tensors_that_cannot_be_written_to_keep_their_values():
    x = torch.arange(3)[:, None].expand(3, 4)
    y = torch.eye(3).to_sparse()
    given = Inputs((x, y), {})
    for a, b in zip(given.shuffled().args, given.args):
        assert torch.equal(a.to_dense() if a.is_sparse else a, b.to_dense())


@pytest.mark.parametrize(
    "size, bounds, other",
    [
        (32, {}, 16),
        (4, {}, 2),
        (3, {}, 2),
        (2, {}, 3),
        (8, {"min": 5}, 7),
        (8, {"min": 8}, 9),
        (8, {"min": 8, "max": 12}, 9),
    ],
)
def test_another_size_is_within_the_bounds_of_the_mark(size, bounds, other):
    resized = Inputs((marked(2, size, dim=1, **bounds),), {}).resized()
    (x,) = resized.args
    assert x.shape == (2, other)
    assert x._dynamo_dynamic_indices == {1}
    assert set(x.flatten().tolist()) <= set(range(2 * size))


def test_equal_sizes_stay_equal():
    given = Inputs((marked(8, 3),), {"mask": [marked(2, 8, dim=1)]})
    resized = given.resized()
    assert resized.args[0].shape == (4, 3)
    assert resized.kwargs["mask"][0].shape == (2, 4)


@pytest.mark.parametrize("make", [lambda: torch.ones(4), lambda: 3])
def test_nothing_is_resized_without_a_mark(make):
    assert Inputs((make(),), {}).resized() is None


def test_inputs_in_words():
    x = torch.ones(2, 3)
    assert str(Inputs((x,), {"n": 3})) == "float32[2, 3]"
    assert str(Inputs((x, x, x, x, x), {})).endswith("float32[2, 3], 2 more")
    assert str(Inputs((), {})) == "no tensors"
