"""Several nodes at once on this machine: each a process of its own, told apart only by its seat.

The launcher starts them, reads what they report, and ends those it started if one fails.
"""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kemps_p2p.errors import RuntimeFault

NAMES = (
    "Anna", "Ben", "Carla", "Dan", "Eva", "Finn", "Greta", "Hugo",
    "Ines", "Jon", "Kira", "Leo", "Mila", "Nils", "Olga", "Paul",
)  # fmt: skip
OBSERVER_NAME = "Zoe"
_END_S = 3.0

Report = dict[str, Any]
"""One line that a node prints with `--events`: a JSON object with the key `event`."""


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """What to start. `rules`: the file with the rule set; `scratch` takes homes and the meeting place.

    `observers`: 1 where one more process only watches, else 0.
    """

    players: int
    rules: Path
    pace: str
    logs: Path
    scratch: Path
    observers: int = 0

    def home(self, seat: int) -> Path:
        """What the node of a seat keeps."""
        return self.scratch / f"home-{seat}"


def node_command(plan: LaunchPlan, seat: int) -> list[str]:
    """What starts the node of a seat; the observer's is the one after the last."""
    return [
        sys.executable, "-m", "kemps_p2p", "node",
        "--meet", str(plan.scratch / "meeting"),
        "--players", str(plan.players),
        *(["--observed"] if plan.observers else []),
        *(["--seat", str(seat)] if seat < plan.players else ["--watch"]),
        "--name", NAMES[seat] if seat < plan.players else OBSERVER_NAME,
        "--rules", str(plan.rules),
        "--pace", plan.pace,
        "--home", str(plan.home(seat)),
        "--out", str(plan.logs),
        "--events",
    ]  # fmt: skip


async def launch(plan: LaunchPlan, report: Callable[[int, Report], None]) -> None:
    """Run the nodes to their end; `report` gets (seat, what it printed).

    Raises `RuntimeFault` with a node's own last words if one fails.
    """
    nodes: list[asyncio.subprocess.Process] = []
    try:
        for seat in range(plan.players + plan.observers):
            # A node that outlives the launcher would play on alone: its own session lets the launcher end it.
            node = await asyncio.create_subprocess_exec(
                *node_command(plan, seat),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
            nodes.append(node)
        async with asyncio.TaskGroup() as group:
            for seat, node in enumerate(nodes):
                group.create_task(_follow(plan, seat, node, report))
    except* RuntimeFault as faults:
        raise RuntimeFault(str(faults.exceptions[0])) from None
    finally:
        await end_nodes(nodes)


async def _follow(
    plan: LaunchPlan, seat: int, node: asyncio.subprocess.Process, report: Callable[[int, Report], None]
) -> None:
    assert node.stdout is not None, "started with a pipe"
    assert node.stderr is not None, "started with a pipe"
    errors = asyncio.create_task(node.stderr.read())
    async for line in node.stdout:
        report(seat, json.loads(line))
    code = await node.wait()
    said = (await errors).decode(errors="replace").strip().splitlines()
    if code != 0:
        name = NAMES[seat] if seat < plan.players else OBSERVER_NAME
        raise RuntimeFault(f"the node of {name} ended with code {code}: {said[-1] if said else '(silent)'}")


async def end_nodes(nodes: Sequence[asyncio.subprocess.Process]) -> None:
    """End the nodes that still run: kindly first, so that their logs are complete, then for good."""
    running = [node for node in nodes if node.returncode is None]
    for node in running:
        node.terminate()
    for node in running:
        try:
            await asyncio.wait_for(node.wait(), _END_S)
        except TimeoutError:
            node.kill()
            await node.wait()
