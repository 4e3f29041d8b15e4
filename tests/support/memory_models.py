"""Small models whose values share memory in many ways."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

__all__ = ["Attending", "Borrowing", "Dropping", "Sharing", "Wandering"]

_WIDTH = 8


class Attending(nn.Module):
    """Attention of several operators, with a table of its own and dead values."""

    table: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(_WIDTH, 3 * _WIDTH)
        self.register_buffer("table", torch.randn(64, _WIDTH))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Two layers on `x` (batch, length, width)."""
        batch, length, _ = x.shape
        for _ in range(2):
            x = x + self.table[:length]
            q, k, v = self.qkv(x).view(batch, length, 3, _WIDTH).unbind(2)
            scores = torch.baddbmm(x.new_zeros(1), q, k.transpose(1, 2))
            weights = scores.softmax(-1)
            x = torch.bmm(weights, v)
            scores.sum()
        return x, weights, self.table


class Sharing(nn.Module):
    """Views, mutations, tuples, and results that are inputs or parts of them."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(_WIDTH, 2 * _WIDTH))
        self.register_buffer("count", torch.zeros(3))

    def forward(self, x: torch.Tensor, pair: tuple[torch.Tensor, Any]) -> Any:
        """Something of `x` (length, width) and a pair of a vector and a matrix."""
        vector, matrix = pair
        gate, up = (x @ self.weight).chunk(2, -1)
        gate.mul_(vector)
        self.count.add_(1)
        view = up.t()
        first, *rest = torch.split(matrix, 2, dim=0)
        torch.sin(first)
        grown = torch.cat([F.silu(gate), up, view.t()])
        row = grown[0]
        total = torch.stack(rest).sum(0)
        flat = grown.reshape(-1)
        last = torch.empty_like(total).copy_(total)
        top, where = torch.sort(x.flatten())
        x.relu_()
        count = top.new_zeros(x.shape[0] * 2, dtype=torch.int16)
        return x, row, flat[1:], {"last": last[:, :1], "m": matrix.mT}, where, count


class Dropping(nn.Module):
    """Dropout that is off, and dropout that drops nothing: both return what they get."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(_WIDTH, 16), nn.Linear(16, _WIDTH)
        self.drop = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """A feed-forward layer on `x` (batch, length, width)."""
        h = self.drop(self.drop(F.gelu(self.up(x))))
        h = F.dropout(self.down(h), 0.0, True)
        return torch.dropout(x + h, 0.5, False).sin()


class Borrowing(nn.Module):
    """Inputs that are parts of one storage, and results that are parts of inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(_WIDTH, _WIDTH))

    def forward(self, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> Any:
        """Something of two matrices with eight and four columns, and any third one."""
        a = x @ self.weight
        sines, spectrum = torch.sin(y), torch.fft.fft(a)
        wide = y.expand(3, *y.shape)
        high = a.unsqueeze(0).expand(4, -1, -1)
        window = torch.as_strided(a, (2, 2), (1, 1), 3)
        views = x[0], self.weight.t(), high, window, torch.view_as_real(spectrum)
        return a[1:], sines, z.t() + 1, wide.contiguous(), spectrum.real, views


_STEPS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda x, y: x + y,
    lambda x, y: torch.cat([x.flatten(), y.flatten()]),
    lambda x, y: torch.relu(x),
    lambda x, y: x.clone(),
    lambda x, y: x.contiguous(),
    lambda x, y: x.sum(-1, keepdim=True),
    lambda x, y: x.to(torch.float64),
    lambda x, y: x.new_zeros(x.shape, dtype=torch.int8),
    lambda x, y: x.transpose(0, -1),
    lambda x, y: x.flatten(),
    lambda x, y: x.unsqueeze(0),
    lambda x, y: x.squeeze(0),
    lambda x, y: x.expand(2, *x.shape),
    lambda x, y: x[..., 1:],
    lambda x, y: x[0],
    lambda x, y: x.detach(),
    lambda x, y: x.chunk(2, -1),
    lambda x, y: x.split(3, -1),
    lambda x, y: x.unbind(-1)[:2],
    lambda x, y: torch.max(x, -1),
    lambda x, y: torch.aminmax(x),
    lambda x, y: x.add_(1),
    lambda x, y: x.copy_(y),
    lambda x, y: x.zero_(),
)
_MOST = 4


class Wandering(nn.Module):
    """Random steps over what there is, in a way that works for given lengths."""

    def __init__(self, seed: int, lengths: Sequence[int]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(5, _WIDTH))
        self.plan: list[tuple[int, int, int]] = []
        rng = random.Random(seed)
        inputs = [(torch.randn(5, length), torch.randn(length)) for length in lengths]
        tries = [self._start(*one) for one in inputs]
        for _ in range(24):
            count = len(tries[0])
            step = (
                rng.randrange(len(_STEPS)),
                rng.randrange(count),
                rng.randrange(count),
            )
            try:
                found = [self._step(values, *step) for values in tries]
            except (RuntimeError, IndexError):
                continue
            if len({*map(len, found)}) == 1:
                self.plan.append(step)
                for values, more in zip(tries, found):
                    values += more
        count = len(tries[0])
        self.kept = rng.sample(range(3, count), min(_MOST, count - 3))

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> Any:
        """Something of a matrix with five rows, and a vector as long as they are."""
        values = self._start(x, y)
        for one in self.plan:
            values += self._step(values, *one)
        return [values[place] for place in self.kept]

    def _start(self, x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
        return [x, y, self.weight.detach() * 2]

    def _step(
        self, values: list[torch.Tensor], step: int, one: int, other: int
    ) -> list[torch.Tensor]:
        found = _STEPS[step](values[one], values[other])
        return [found] if isinstance(found, torch.Tensor) else [*found]
