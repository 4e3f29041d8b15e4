"""Architectures of the transformers library, small and random: what `model_sweep.py` captures.

Importing this module does not import transformers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

__all__ = ["ARCHITECTURES", "SIZES", "Architecture", "Size"]

Size = tuple[int, int]
"""A batch and a length."""

SIZES: tuple[Size, Size] = ((2, 9), (3, 13))
"""What a model is called with; the second only where shapes are dynamic."""

_VOCABULARY = 96
# The last three are what AOTAutograd lowers the first two to.
_ATTENTION = (
    "scaled_dot_product_attention",
    "softmax",
    "aten::_softmax",
    "aten::_safe_softmax",
    "aten::_scaled_dot_product_flash_attention_for_cpu",
)
_CONVOLUTION = ("conv1d", "aten::convolution")
_SEED = 11


@dataclass(frozen=True)
class Architecture:
    """A model to be made, and what to call it with.

    Attributes:
        family: What kind of model it is.
        model: The class in transformers.
        config: Arguments of the class's configuration.
        inputs: The keyword arguments of a call, for a size.
        splitting_ops: Where the graphs are split; attention where there is one.
    """

    family: str
    model: str
    config: Mapping[str, Any]
    inputs: Callable[[Size], dict[str, Any]]
    splitting_ops: tuple[str, ...] = field(default=_ATTENTION)

    def build(self) -> torch.nn.Module:
        """The model with random weights, the same each time, in eval mode.

        Raises:
            ImportError: transformers is not installed.
        """
        import transformers  # loads seconds, and may be missing

        torch.manual_seed(_SEED)
        kind: Any = getattr(transformers, self.model)
        model: torch.nn.Module = kind(kind.config_class(**self.config))
        for parameter in model.parameters():
            # Zeros and ones, which layers begin with, would hide mistakes.
            torch.nn.init.normal_(parameter, std=0.1)
        return model.eval()


def _generator(size: Size) -> torch.Generator:
    return torch.Generator().manual_seed(1000 * size[0] + size[1])


def _tokens(size: Size) -> dict[str, Any]:
    """Tokens, the last row ending early."""
    mask = torch.ones(size, dtype=torch.long)
    mask[-1, -2:] = 0
    ids = torch.randint(3, _VOCABULARY, size, generator=_generator(size))
    return {"input_ids": ids, "attention_mask": mask}


def _tokens_alone(size: Size) -> dict[str, Any]:
    return {"input_ids": _tokens(size)["input_ids"]}


def _two_texts(size: Size) -> dict[str, Any]:
    shorter = (size[0], size[1] - 2)
    return {**_tokens(size), "decoder_input_ids": _tokens(shorter)["input_ids"]}


def _pixels(size: Size) -> dict[str, Any]:
    shape = (size[0], 3, 32, 32)
    return {"pixel_values": torch.randn(shape, generator=_generator(size))}


def _captioned(size: Size) -> dict[str, Any]:
    return {**_tokens(size), **_pixels(size)}


def _wave(size: Size) -> dict[str, Any]:
    shape = (size[0], 160 * size[1])
    return {"input_values": torch.randn(shape, generator=_generator(size))}


def _spectrum(size: Size) -> dict[str, Any]:
    features = torch.randn((size[0], 16, 40), generator=_generator(size))
    return {
        "input_features": features,
        "decoder_input_ids": _tokens(size)["input_ids"],
    }


def _series(size: Size) -> dict[str, Any]:
    return {"past_values": torch.randn((size[0], 32, 2), generator=_generator(size))}


_TEXT: dict[str, Any] = {
    "vocab_size": _VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
_DECODER: dict[str, Any] = {**_TEXT, "num_key_value_heads": 2, "use_cache": False}
_EXPERTS: dict[str, Any] = {**_DECODER, "num_experts_per_tok": 2}
_IMAGE: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "image_size": 32,
    "patch_size": 8,
}
_SPEECH: dict[str, Any] = {
    **_TEXT,
    "conv_dim": (16, 16),
    "conv_kernel": (10, 4),
    "conv_stride": (5, 4),
    "num_feat_extract_layers": 2,
    "num_conv_pos_embeddings": 8,
    "num_conv_pos_embedding_groups": 4,
}
_BOTH_SIDES: dict[str, Any] = {
    "vocab_size": _VOCABULARY,
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
    "use_cache": False,
}


def _decoder(model: str, **config: Any) -> Architecture:
    return Architecture("decoder", model, {**_DECODER, **config}, _tokens)


def _experts(model: str, **config: Any) -> Architecture:
    return Architecture("experts", model, {**_EXPERTS, **config}, _tokens)


def _encoder(model: str, **config: Any) -> Architecture:
    return Architecture("encoder", model, {**_TEXT, **config}, _tokens)


def _vision(model: str, *splitting_ops: str, **config: Any) -> Architecture:
    return Architecture("vision", model, config, _pixels, splitting_ops or _ATTENTION)


ARCHITECTURES: dict[str, Architecture] = {
    "llama": _decoder("LlamaForCausalLM"),
    "qwen3": _decoder("Qwen3ForCausalLM", head_dim=8),
    "gemma2": _decoder("Gemma2ForCausalLM", head_dim=8, sliding_window=8),
    "phi3": _decoder("Phi3ForCausalLM"),
    "gpt_neox": _decoder("GPTNeoXForCausalLM"),
    "falcon": _decoder("FalconForCausalLM", alibi=True),
    "bloom": _decoder("BloomForCausalLM", n_layer=2, n_head=4),
    "opt": _decoder("OPTForCausalLM", ffn_dim=48, word_embed_proj_dim=32),
    "gpt2": Architecture(
        "decoder",
        "GPT2LMHeadModel",
        {
            "vocab_size": _VOCABULARY,
            "n_embd": 32,
            "n_layer": 2,
            "n_head": 4,
            "n_positions": 64,
            "use_cache": False,
        },
        _tokens,
    ),
    # Which experts get a token is read from a tensor here, which breaks the graph.
    "mixtral": _experts(
        "MixtralForCausalLM",
        num_local_experts=4,
        num_hidden_layers=1,
        experts_implementation="eager",
    ),
    "qwen2_moe": _experts(
        "Qwen2MoeForCausalLM",
        num_experts=4,
        moe_intermediate_size=16,
        shared_expert_intermediate_size=16,
    ),
    "olmoe": _experts("OlmoeForCausalLM", num_experts=4),
    "gpt_oss": _experts("GptOssForCausalLM", num_local_experts=4, head_dim=8),
    "mamba": Architecture(
        "state-space",
        "MambaForCausalLM",
        {**_TEXT, "state_size": 4, "use_cache": False},
        _tokens_alone,
        _CONVOLUTION,
    ),
    "mamba2": Architecture(
        "state-space",
        "Mamba2ForCausalLM",
        {
            **_TEXT,
            "num_heads": 4,
            "head_dim": 16,
            "state_size": 4,
            "n_groups": 2,
            "chunk_size": 4,
            "use_cache": False,
        },
        _tokens_alone,
        _CONVOLUTION,
    ),
    "falcon_mamba": Architecture(
        "state-space",
        "FalconMambaForCausalLM",
        {**_TEXT, "state_size": 4, "use_cache": False},
        _tokens_alone,
        _CONVOLUTION,
    ),
    "bamba": _decoder(
        "BambaForCausalLM",
        attn_layer_indices=[1],
        mamba_n_heads=4,
        mamba_d_head=16,
        mamba_d_state=4,
        mamba_n_groups=1,
        mamba_chunk_size=4,
    ),
    "bert": _encoder("BertForMaskedLM"),
    "distilbert": Architecture(
        "encoder",
        "DistilBertForMaskedLM",
        {
            "vocab_size": _VOCABULARY,
            "dim": 32,
            "hidden_dim": 48,
            "n_layers": 2,
            "n_heads": 4,
            "max_position_embeddings": 64,
        },
        _tokens,
    ),
    "albert": _encoder("AlbertForMaskedLM", embedding_size=16),
    "deberta_v2": _encoder(
        "DebertaV2ForMaskedLM",
        relative_attention=True,
        pos_att_type=["p2c", "c2p"],
        position_buckets=8,
    ),
    "modernbert": _encoder(
        "ModernBertForMaskedLM", global_attn_every_n_layers=2, local_attention=8
    ),
    "t5": Architecture(
        "encoder-decoder",
        "T5ForConditionalGeneration",
        {
            "vocab_size": _VOCABULARY,
            "d_model": 32,
            "d_kv": 8,
            "d_ff": 48,
            "num_layers": 2,
            "num_heads": 4,
            "decoder_start_token_id": 0,
            "use_cache": False,
        },
        _two_texts,
    ),
    "bart": Architecture(
        "encoder-decoder", "BartForConditionalGeneration", _BOTH_SIDES, _two_texts
    ),
    "vit": _vision("ViTForImageClassification", **_IMAGE),
    "dinov2": _vision("Dinov2Model", **_IMAGE),
    "swin": _vision(
        "SwinForImageClassification",
        image_size=32,
        patch_size=2,
        embed_dim=16,
        depths=[2, 2],
        num_heads=[2, 4],
        window_size=4,
    ),
    "convnext": _vision(
        "ConvNextForImageClassification",
        "layer_norm",
        "aten::native_layer_norm",
        hidden_sizes=[16, 32],
        depths=[1, 2],
        num_stages=2,
    ),
    "resnet": _vision(
        "ResNetForImageClassification",
        "max_pool2d",
        "aten::max_pool2d_with_indices",
        "relu",
        embedding_size=16,
        hidden_sizes=[16, 32],
        depths=[1, 1],
        layer_type="basic",
    ),
    "segformer": _vision(
        "SegformerForSemanticSegmentation",
        depths=[1, 1],
        num_encoder_blocks=2,
        sr_ratios=[2, 1],
        hidden_sizes=[16, 32],
        patch_sizes=[7, 3],
        strides=[4, 2],
        num_attention_heads=[1, 2],
        mlp_ratios=[2, 2],
        decoder_hidden_size=32,
    ),
    "clip": Architecture(
        "vision and text",
        "CLIPModel",
        {"text_config": _TEXT, "vision_config": _IMAGE, "projection_dim": 16},
        _captioned,
    ),
    "wav2vec2": Architecture("speech", "Wav2Vec2ForCTC", _SPEECH, _wave),
    "hubert": Architecture("speech", "HubertForCTC", _SPEECH, _wave),
    "whisper": Architecture(
        "speech",
        "WhisperForConditionalGeneration",
        {
            **_BOTH_SIDES,
            "num_mel_bins": 16,
            "max_source_positions": 20,
            "max_target_positions": 64,
        },
        _spectrum,
    ),
    "patchtst": Architecture(
        "time series",
        "PatchTSTForPrediction",
        {
            "num_input_channels": 2,
            # With batch norm, what AOTAutograd of PyTorch 2.13 makes of it fails on a
            # CPU, in backend="aot_eager" as well: a view of strides that are not there.
            "norm_type": "layernorm",
            "context_length": 32,
            "patch_length": 8,
            "patch_stride": 8,
            "prediction_length": 4,
            "d_model": 32,
            "ffn_dim": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
        },
        _series,
    ),
}
