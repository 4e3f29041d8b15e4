"""`python -m astgen`: the same command as the console script."""

from astgen.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    main(prog_name="python -m astgen")
