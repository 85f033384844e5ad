"""All vectors: `python tests/protocol_vectors.py` writes them; `tests/vectors/README.md` says what they are.

Everything is made from fixed keys and seeds, so that the files are the same wherever they are made.
"""

from pathlib import Path
from typing import Any

from protocol_table import SEATS, identity, table
from vectors import (
    make_codec,
    make_conflicts,
    make_damage,
    make_decisions,
    make_deck,
    make_ledger,
    make_lobby,
    make_session,
    make_tapes,
)
from vectors.form import FOLDER

TEXTS = (
    make_codec,
    make_ledger,
    make_tapes,
    make_decisions,
    make_deck,
    make_session,
    make_conflicts,
    make_lobby,
)


def setting() -> dict[str, Any]:
    """What a checker has to know beside the vectors: identity keys by seat and the encoded genesis."""
    return {
        "keys": [identity(seat).public.hex() for seat in SEATS],
        "genesis": table().signed.raw.hex(),
    }


def files() -> dict[Path, bytes]:
    """The bytes of each file but the logs."""
    known = setting()
    made = {name: text for make in TEXTS for name, text in make.files(known).items()}
    return {FOLDER / name: text.encode() for name, text in made.items()}


def logs(*, has_matches: bool) -> dict[Path, bytes]:
    """The bytes of each log; with those of whole matches also of the index."""
    made = make_damage.files() if has_matches else make_damage.short_files()
    return {FOLDER / name: data for name, data in made.items()}


if __name__ == "__main__":
    written = files() | logs(has_matches=True)
    for path in FOLDER.rglob("*"):
        if path.suffix in (".json", ".kemps") and path not in written:
            path.unlink()
    for path, data in written.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
