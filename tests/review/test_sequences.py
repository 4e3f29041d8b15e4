"""Matched sequences against the table of longest common subsequences."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from astgen.review.diff.sequences import anchors, matched

LISTS = st.lists(st.sampled_from("abcd"), max_size=14)


def longest(left: Sequence[str], right: Sequence[str]) -> int:
    row = [0] * (len(right) + 1)
    for one in left:
        corner = 0
        for place, other in enumerate(right, 1):
            above = row[place]
            row[place] = corner + 1 if one == other else max(above, row[place - 1])
            corner = above
    return row[-1]


def rises(pairs: Sequence[tuple[int, int]]) -> bool:
    return all(p < q and r < s for (p, r), (q, s) in zip(pairs, pairs[1:]))


@settings(deadline=None, max_examples=1000)
@given(LISTS, LISTS)
def test_as_much_as_can_be_is_matched_in_order(
    left: list[str], right: list[str]
) -> None:
    pairs = matched(left, right)
    assert all(left[one] == right[other] for one, other in pairs)
    assert rises(pairs)
    assert len(pairs) == longest(left, right)


@settings(deadline=None, max_examples=300)
@given(st.permutations(range(9)), st.permutations(range(9)))
def test_anchors_are_the_longest_row_of_what_stands_once(
    left: list[int], right: list[int]
) -> None:
    pairs = anchors([*left, "twice", "twice"], ["twice", *right, "twice"])
    assert all(left[one] == right[other - 1] for one, other in pairs)
    assert rises(pairs)
    shown = [list(map(str, side)) for side in (left, right)]
    assert len(pairs) == longest(*shown)


def test_what_differs_everywhere_is_not_matched_for_ever() -> None:
    left, right = [*range(20_000)], [*range(20_000, 40_000)]
    assert matched([*left, 0], [*right, 0]) == [(20_000, 20_000)]
    assert matched([], right) == []
