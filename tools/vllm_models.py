"""Tiny models that vLLM knows, with random weights: a `config.json` is all there is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["MODELS", "write_model"]

_SHAPE: dict[str, Any] = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "vocab_size": 256,
    "max_position_embeddings": 128,
    "rope_theta": 10000.0,
    "tie_word_embeddings": False,
    "torch_dtype": "float32",
    "bos_token_id": 1,
    "eos_token_id": 2,
}

MODELS: dict[str, dict[str, Any]] = {
    "llama": {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_act": "silu",
        "rms_norm_eps": 1e-5,
    },
    "qwen2": {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "hidden_act": "silu",
        "rms_norm_eps": 1e-6,
    },
    "gemma": {
        "architectures": ["GemmaForCausalLM"],
        "model_type": "gemma",
        "hidden_activation": "gelu_pytorch_tanh",
        "rms_norm_eps": 1e-6,
        "tie_word_embeddings": True,
    },
    "opt": {
        "architectures": ["OPTForCausalLM"],
        "model_type": "opt",
        "ffn_dim": 128,
        "word_embed_proj_dim": 64,
        "activation_function": "relu",
    },
    "qwen3": {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "hidden_act": "silu",
        "rms_norm_eps": 1e-6,
    },
    "granite": {
        "architectures": ["GraniteForCausalLM"],
        "model_type": "granite",
        "hidden_act": "silu",
        "rms_norm_eps": 1e-5,
        "embedding_multiplier": 12.0,
        "residual_multiplier": 0.22,
        "attention_multiplier": 0.25,
        "logits_scaling": 0.5,
    },
}
"""What the configuration of each architecture says beyond the shape."""


def write_model(name: str, folder: Path) -> Path:
    """Write the configuration of a model.

    Args:
        name: One of `MODELS`.
        folder: Where its folder is made. Its path is part of vLLM's cache key.

    Returns:
        The model's folder.
    """
    model = folder / name
    model.mkdir(parents=True, exist_ok=True)
    (model / "config.json").write_text(json.dumps({**_SHAPE, **MODELS[name]}))
    return model
