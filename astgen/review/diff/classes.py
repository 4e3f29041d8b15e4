"""Many programs put into classes of equal ones."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from astgen.review.diff.programs import contents_of, structure_hash
from astgen.review.programs import ReadProgram

__all__ = ["classified"]


def classified(programs: Sequence[ReadProgram]) -> dict[str, list[int]]:
    """Put programs into classes between whose members nothing differs.

    What pieces do counts if it is known for all programs.

    Args:
        programs: The programs.

    Returns:
        The places of the members of each class, by a hash that stands for it: that of
        the structure, or one of it and of the pieces.

    Raises:
        InvalidProgramError: One is no generated code.
    """
    contents = [contents_of(program) for program in programs]
    are_known = all(one is not None for one in contents)
    classes: dict[str, list[int]] = {}
    for place, (program, known) in enumerate(zip(programs, contents)):
        key = structure_hash(program)
        if known and are_known:
            # By the numbers of calls, since slots may be numbered otherwise.
            order = "\n".join([key, *known.values()])
            key = hashlib.sha256(order.encode()).hexdigest()
        classes.setdefault(key, []).append(place)
    return classes
