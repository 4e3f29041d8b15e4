"""Programs on disk. Nothing here imports torch or libcst."""

__all__: list[str] = []
