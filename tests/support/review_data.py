"""Programs that `tools/review_data.py` kept, with where they come from."""

from __future__ import annotations

import json
from pathlib import Path

from astgen.lint.subject import Constant
from astgen.provenance.document import read_provenance
from astgen.review.programs import ReadProgram
from astgen.store.notation import write_json

__all__ = ["stored"]

DATA = Path(__file__).resolve().parent.parent / "review" / "data"


def stored(name: str) -> dict[str, ReadProgram]:
    """The programs of a file by their titles.

    Args:
        name: `decoder`, the built-in model; `llama`, that of a real vLLM; or `cases`,
            small graphs that broke generators.
    """
    records = json.loads((DATA / f"{name}.json").read_text(encoding="ascii"))
    return {
        one["title"]: ReadProgram(
            "\n".join(one["code"]),
            tuple(one["submod_names"]),
            tuple(Constant(*constant) for constant in one["constants"]),
            provenance=read_provenance(write_json(one["provenance"])),
        )
        for one in records
    }
