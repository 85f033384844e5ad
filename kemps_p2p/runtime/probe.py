"""Find out why a listener cuts us off: whether what listens at an address speaks CURVE at all.

A server that cannot read our hello and a server without CURVE may both just hang up, and ZeroMQ cannot tell
which. Each says its mechanism first, though, to anybody who begins a greeting. Knows ZMTP 3.0's greeting and
nothing else; proves nothing about who is there.
"""

import asyncio
import contextlib

PROBE_S = 1.0
_SIGNATURE = b"\xff" + bytes(7) + b"\x01\x7f"
_BEGINNING = _SIGNATURE + b"\x03"
_MECHANISM = slice(12, 32)


async def speaks_curve(host: str, port: int) -> bool | None:
    """Whether the listener's greeting names CURVE; None if it cannot be had."""
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(PROBE_S):
            reader, writer = await asyncio.open_connection(host, port)
            try:
                # No more than this: a server that knew our mechanism might hang up before it told its own.
                writer.write(_BEGINNING)
                greeting = await reader.readexactly(_MECHANISM.stop)
            except asyncio.IncompleteReadError as short:
                return False if short.partial and not _is_zmtp(short.partial) else None
            finally:
                writer.close()
            return _is_zmtp(greeting) and greeting[_MECHANISM].rstrip(b"\0") == b"CURVE"
    return None


def _is_zmtp(greeting: bytes) -> bool:
    return greeting[:1] == _SIGNATURE[:1] and greeting[9:10] in {b"", _SIGNATURE[9:]}
