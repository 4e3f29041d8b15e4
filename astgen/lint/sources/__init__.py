"""Files in, programs out: what holds generated code, and what is wrong with it.

`discover` finds the files, `read` looks at one. Nothing of a file is run, imported,
unpickled or written to disk, and `limits` says how much of it is read.
"""

__all__: list[str] = []
