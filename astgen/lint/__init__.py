"""Files in, findings out: `astgen lint`.

The checker (`astgen.check`) decides whether one text may run. The linter reads
whatever holds such texts, asks the checker, adds what is suspicious or could be
better, and reports. Nothing here imports torch, libcst or black before it is asked
for what needs them, and nothing runs, imports or unpickles what it reads.
"""

__all__: list[str] = []
