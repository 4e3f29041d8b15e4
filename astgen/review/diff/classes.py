"""Many programs put into classes of equal ones."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from astgen.review.diff.programs import contents_of, structure_hash
from astgen.review.programs import ReadProgram

__all__ = ["classified"]


def classified(programs: Sequence[ReadProgram]) -> dict[str, list[int]]:
    """Put programs into classes between whose members nothing differs.

    What a piece does counts if that is known in all programs.

    Args:
        programs: The programs.

    Returns:
        The places of the members of each class, by a hash that stands for it: that of
        the structure, or one of it and of the pieces.

    Raises:
        InvalidProgramError: One is no generated code.
    """
    # By the numbers of calls, since slots may be numbered otherwise.
    contents = [[*contents_of(program).values()] for program in programs]
    known = [all(column) for column in zip(*contents)]
    classes: dict[str, list[int]] = {}
    for place, program in enumerate(programs):
        key = structure_hash(program)
        told = [one for one, is_known in zip(contents[place], known) if is_known]
        if told:
            key = hashlib.sha256("\n".join([key, *told]).encode()).hexdigest()
        classes.setdefault(key, []).append(place)
    return classes
