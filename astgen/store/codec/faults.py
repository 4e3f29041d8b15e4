"""What goes wrong inside the codec, before it is known which slot it was."""

from __future__ import annotations

__all__ = ["Malformed", "Unstorable", "not_allowed", "type_name"]


class Unstorable(Exception):
    """A value has no stored form.

    Attributes:
        reason: Why not.
        way_out: What to do instead.
        culprit: The type of the value.
        steps: The way to it from the constant, innermost step first.
    """

    def __init__(self, culprit: object, reason: str, way_out: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.way_out = way_out
        self.culprit = type_name(culprit)
        self.steps: list[str] = []


class Malformed(Exception):
    """A document says something that it may not.

    Attributes:
        reason: What.
        rule: The code of the linter's rule that it breaks.
        hint: The way out; empty if there is none but to save it again.
    """

    def __init__(self, reason: str, rule: str = "AG601", hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.rule = rule
        self.hint = hint


def not_allowed(reason: str, allowance: str = "") -> Malformed:
    """What a document may not refer to here, though it is well formed.

    Args:
        reason: What it refers to.
        allowance: What allows it, as the caller of `load` writes it; empty if nothing
            does.

    Returns:
        The error.
    """
    hint = "nothing allows that; load only what you would have written yourself"
    if allowance:
        hint = f"if you know it, allow it: {allowance}"
    return Malformed(reason, "AG306", hint)


def type_name(value: object) -> str:
    """The type of a value as people write it; never its `repr`, which may raise."""
    kind = type(value)
    if kind.__module__ == "builtins":
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"
