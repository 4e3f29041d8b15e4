"""The model that `astgen compile` takes when it is given none.

A decoder-only transformer in the usual shape: rotary positions, causal attention,
a gated MLP, an output that shares its weights with the embedding. Small, with
random weights that are the same in every run.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

__all__ = ["Decoder", "decoder"]

_VOCABULARY = 512
_WIDTH = 64
_HEADS = 4
_HIDDEN = 160
_LAYERS = 4
_BATCH = 2
_LENGTH = 32
_SEED = 20260


class RMSNorm(nn.Module):
    """Scales vectors to a root mean square of one, times a weight."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(1 + 0.1 * torch.randn(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Normalise the last dimension."""
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * self.weight


class Attention(nn.Module):
    """Causal self-attention with rotary positions."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(_WIDTH, 3 * _WIDTH, bias=False)
        self.out = nn.Linear(_WIDTH, _WIDTH, bias=False)

    def forward(self, x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        """Attend to the tokens before each token."""
        batch, length, width = x.shape
        heads = self.qkv(x).view(batch, length, 3, _HEADS, width // _HEADS)
        q, k, v = heads.permute(2, 0, 3, 1, 4).unbind()
        y = F.scaled_dot_product_attention(
            _rotate(q, angles), _rotate(k, angles), v, is_causal=True
        )
        result: torch.Tensor = self.out(y.transpose(1, 2).reshape(batch, length, width))
        return result


class Block(nn.Module):
    """Attention and a gated MLP, each on a residual branch."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.attention = RMSNorm(_WIDTH), Attention()
        self.norm2 = RMSNorm(_WIDTH)
        self.gate_up = nn.Linear(_WIDTH, 2 * _HIDDEN, bias=False)
        self.down = nn.Linear(_HIDDEN, _WIDTH, bias=False)

    def forward(self, x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        """Run the layer on a batch of sequences."""
        x = x + self.attention(self.norm1(x), angles)
        gate, up = self.gate_up(self.norm2(x)).chunk(2, -1)
        result: torch.Tensor = x + self.down(F.silu(gate) * up)
        return result


class Decoder(nn.Module):
    """Tokens in, logits of the next token out."""

    frequencies: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(_VOCABULARY, _WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(_LAYERS))
        self.norm = RMSNorm(_WIDTH)
        half = _WIDTH // _HEADS // 2
        frequencies = 10_000.0 ** (-torch.arange(half) / half)
        self.register_buffer("frequencies", frequencies)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """The logits for each position of `tokens` (batch, length)."""
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        angles = positions[:, None] * self.frequencies
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, angles)
        return F.linear(self.norm(x), self.embedding.weight)


def decoder() -> tuple[nn.Module, tuple[torch.Tensor]]:
    """The model and tokens for it; their number in a sequence is dynamic."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(_SEED)
        model = Decoder().eval()
        tokens = torch.randint(_VOCABULARY, (_BATCH, _LENGTH))
    torch._dynamo.mark_dynamic(tokens, 1)
    return model, (tokens,)


def _rotate(x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
    cos, sin = angles.cos(), angles.sin()
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)
