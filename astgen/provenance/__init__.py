"""What a graph knows beside its program: nodes, types, modules, lines, and memory.

The names are loaded on first use: reading what was collected does not import torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from astgen.lazy import lazy

if TYPE_CHECKING:
    from astgen.provenance.collect import collect
    from astgen.provenance.document import read_provenance, write_provenance
    from astgen.provenance.model import Provenance

__all__ = ["Provenance", "collect", "read_provenance", "write_provenance"]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "Provenance": "astgen.provenance.model",
        "collect": "astgen.provenance.collect",
        "read_provenance": "astgen.provenance.document",
        "write_provenance": "astgen.provenance.document",
    },
)
