"""The verifier among the examples, as a module."""

import runpy
from pathlib import Path
from typing import Any

PATH = Path(__file__).parent.parent / "examples" / "verify_log.py"


class Verifier:
    """What `examples/verify_log.py` defines."""

    def __init__(self) -> None:
        self._names = runpy.run_path(str(PATH))

    def __getattr__(self, name: str) -> Any:
        return self._names[name]


VERIFIER = Verifier()


def first_of(log: Any) -> tuple[int, str, int | None] | None:
    """Index, code and culprit of the first thing that is wrong in a log."""
    return None if log.first is None else (log.first.index, log.first.code, log.first.culprit)
