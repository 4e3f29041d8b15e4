"""Generated code for people: dumps, differences, reports.

Nothing here runs, imports or unpickles what it shows, and none of it imports torch.
"""

from __future__ import annotations

__all__: list[str] = []
