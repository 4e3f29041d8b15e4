"""Lists of a fixed length, and keywords: what several forms are made of."""

from __future__ import annotations

from typing import Any

from astgen.store.codec.core import Decoder, Encoder
from astgen.store.codec.faults import Malformed

__all__ = ["decode_keywords", "encode_keywords", "parts_of"]


def parts_of(form: Any, count: int) -> list[Any]:
    """The parts of a form that has so many of them.

    Raises:
        Malformed: It has not.
    """
    if type(form) is not list or len(form) != count:
        raise Malformed(f"a list of {count} was expected")
    return form


def encode_keywords(encoder: Encoder, keywords: dict[str, Any]) -> list[Any]:
    """The form of keywords, in order."""
    return [
        [name, encoder.part(value, f".keywords[{name!r}]")]
        for name, value in keywords.items()
    ]


def decode_keywords(decoder: Decoder, forms: Any) -> dict[str, Any]:
    """The way back.

    Raises:
        Malformed: They are no keywords, or one is there twice.
    """
    made: dict[str, Any] = {}
    if type(forms) is not list:
        raise Malformed("keywords are no list")
    for pair in forms:
        if type(pair) is not list or len(pair) != 2 or type(pair[0]) is not str:
            raise Malformed("a keyword is no text")
        made[pair[0]] = decoder.value(pair[1])
    if len(made) != len(forms):
        raise Malformed("a keyword is there twice")
    return made
