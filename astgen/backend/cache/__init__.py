"""The directory cache: what a graph was compiled to, found again by another process.

`ingredients` says what decides the result for a graph, `folder` keeps entries by the
digest of that, `entries` makes entries of what was compiled and back. `folder` and
`difference` need no torch, so that `astgen cache` answers at once.
"""

from __future__ import annotations

__all__: list[str] = []
