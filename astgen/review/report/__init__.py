"""Programs as one page for a browser, which needs nothing beside itself."""

from __future__ import annotations

from astgen.review.report.report import Report, Shown, report

__all__ = ["Report", "Shown", "report"]
