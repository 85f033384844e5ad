"""What a report of a bug needs, in one zip file: logs, versions, the platform, settings. Invariants:

1. Nothing secret is in it: no identity, no secret of a match, no journal; and no file is taken that is not
   named here.
2. Without names unless they are asked for; no directory is told, since its name may be a person's.
"""

import json
import os
import platform
import sys
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from io import BytesIO
from pathlib import Path

from kemps_p2p import __version__
from kemps_p2p.runtime import settings
from kemps_p2p.runtime.files import file_fault

ENVIRONMENT = ("TERM", "COLORTERM", "NO_COLOR", "LANG", "LC_ALL", "PYTHONUTF8")
"""Variables that change what is seen; no other one is looked at."""
SETTINGS_BYTES_MAX = 64 * 1024
_DAY = (2026, 1, 1, 0, 0, 0)
"""Of every file in it: when it was made is nobody's business."""


def machine() -> dict[str, object]:
    """What this program runs on and with."""
    return {
        "program": __version__,
        "python": sys.version,
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "encoding": sys.getfilesystemencoding(),
        "environment": {name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
        "packages": dict(_packages()),
    }


def _packages() -> Iterator[tuple[str, str]]:
    """The versions of what this program needs."""
    try:
        needed = requires("kemps_p2p") or []
    except PackageNotFoundError:
        needed = []
    for line in sorted(needed):
        name = line.split(";")[0].split(">")[0].split("=")[0].strip()
        if "extra ==" not in line:
            yield name, _version(name)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def told_settings(home: Path, *, with_names: bool) -> dict[str, object]:
    """The settings of a home; the name in them only if names are asked for."""
    try:
        text = (home / settings.FILE).read_bytes()[:SETTINGS_BYTES_MAX].decode("utf-8")
        told = tomllib.loads(text)
    except FileNotFoundError:
        return {}
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return {"unread": type(error).__name__}
    except OSError as error:
        raise file_fault(home / settings.FILE, "read", error) from None
    return {key: value for key, value in told.items() if with_names or key != "name"}


def bundle(
    logs: Mapping[str, bytes], home: Path, findings: Mapping[str, object], *, with_names: bool
) -> bytes:
    """The bytes of the zip. `logs`: by file name, as they are to be shown; `findings`: their audit."""
    files = {
        "machine.json": _as_json(machine()),
        "settings.json": _as_json(told_settings(home, with_names=with_names)),
        "audit.json": _as_json(findings),
    }
    files |= {f"logs/{name}": data for name, data in logs.items()}
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, _DAY), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _as_json(told: object) -> bytes:
    return (json.dumps(told, indent=1, default=str) + "\n").encode()
