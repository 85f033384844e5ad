"""What a person has told the program once: their name. Kept in the home, as a small file of TOML.

A file that cannot be understood is as good as none: nothing in it is worth refusing to play for.
"""

import json
import os
import tomllib
from pathlib import Path

from kemps_p2p.errors import PeerFault, RuntimeFault
from kemps_p2p.runtime.store import make_directory
from kemps_p2p.session.lobby import check_name

FILE = "settings.toml"
_BYTES_MAX = 64 * 1024


def remembered_name(home: Path) -> str | None:
    """The name that was told before; None if there is none. Raises `RuntimeFault` if it cannot be read."""
    path = home / FILE
    try:
        with path.open("rb") as file:
            text = file.read(_BYTES_MAX).decode("utf-8")
        name = tomllib.loads(text).get("name")
        if isinstance(name, str):
            check_name(name)
            return name
    except (FileNotFoundError, UnicodeDecodeError, tomllib.TOMLDecodeError, PeerFault):
        return None
    except OSError as error:
        raise RuntimeFault(f"cannot read {path}: {error.strerror or error}") from None
    return None


def remember_name(home: Path, name: str) -> None:
    """Keep a name for the next time. Raises `RuntimeFault`."""
    make_directory(home)
    path = home / FILE
    draft = path.with_name(f"{FILE}.{os.getpid()}.draft")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            # A JSON text without escapes beyond its own is a TOML text as well.
            file.write(f"name = {json.dumps(name, ensure_ascii=False)}\n")
        draft.replace(path)
    except OSError as error:
        raise RuntimeFault(f"cannot write {path}: {error.strerror or error}") from None
