"""States of random generators: the real ones are stored, made up ones are refused."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable

import pytest
import torch

from astgen.errors import ArtifactError, ConstantError
from astgen.store.codec import decode, encode

HEAD = "=QiiQ"
TAIL = 24 + 8 * 624
DRAWS: dict[str, Callable[[torch.Generator, int], object]] = {
    "integers": lambda g, n: torch.randint(0, 1 << 31, (n,), generator=g),
    "float": lambda g, n: torch.randn(n, generator=g),
    "double": lambda g, n: torch.randn(n, generator=g, dtype=torch.float64),
    "half": lambda g, n: torch.randn(n, generator=g, dtype=torch.bfloat16),
    "permutation": lambda g, n: torch.randperm(n, generator=g),
    "uniform": lambda g, n: torch.rand(n, generator=g, dtype=torch.float64),
    "exponential": lambda g, n: torch.empty(n).exponential_(generator=g),
}


def state_of(generator: torch.Generator) -> bytes:
    return bytes(generator.get_state().tolist())


def decoded(state: bytes) -> torch.Generator:
    name = hashlib.sha256(state).hexdigest()
    form = {"generator": {"blob": name}}
    document = {"slots": [form], "storages": [], "version": 1}
    (made,) = decode(document, {name: state})
    assert isinstance(made, torch.Generator)
    return made


@pytest.mark.parametrize("draw", DRAWS)
def test_every_state_that_drawing_leads_to_is_kept(draw: str) -> None:
    for seed in (0, 1, 42, 2**63, 2**64 - 1):
        for count in (0, 1, 2, 3, 5, 15, 17, 311, 312, 313, 622, 623, 624, 625, 1249):
            generator = torch.Generator().manual_seed(seed)
            if count:
                DRAWS[draw](generator, count)
            (made,) = decode(*_encoded(generator))
            assert state_of(made) == state_of(generator)
            # The caches of normal numbers count as well.
            assert torch.equal(
                torch.randn(3, generator=made), torch.randn(3, generator=generator)
            )


def _encoded(generator: torch.Generator) -> tuple[object, dict[str, bytes]]:
    encoded = encode([generator])
    return encoded.document, dict(encoded.blobs)


@pytest.mark.parametrize(
    ("left", "seeded", "following"),
    [
        *((624, 1, 624), (624, 1, 623), (624, 1, 2), (2, 1, 624), (3, 1, 0)),
        *((1, 1, 1), (624, 1, 0), (0, 1, 624), (0, 1, 0), (-1, 1, 626), (625, 1, 0)),
        *((1, 1, 2**63), (624, 0, 1), (1, 0, 0), (1, 2, 0)),
    ],
)
def test_a_state_that_leads_out_of_its_words_is_refused(
    left: int, seeded: int, following: int
) -> None:
    generator = torch.Generator().manual_seed(1)
    state = bytearray(state_of(generator))
    struct.pack_into(HEAD, state, 0, 1, left, seeded, following)
    with pytest.raises(ArtifactError):
        decoded(bytes(state))
    try:
        generator.set_state(torch.frombuffer(state, dtype=torch.uint8))
    except RuntimeError:
        return
    if state_of(generator) != bytes(state):
        return
    # What PyTorch takes as it is, somebody may have set by hand.
    with pytest.raises(ConstantError, match="manual_seed"):
        encode([generator])


@pytest.mark.parametrize("place", [24, 28, 36])
def test_marks_are_zero_or_one(place: int) -> None:
    state = bytearray(state_of(torch.Generator().manual_seed(1)))
    state[TAIL + place] = 2
    with pytest.raises(ArtifactError):
        decoded(bytes(state))
    assert state_of(decoded(state_of(torch.Generator().manual_seed(1))))
