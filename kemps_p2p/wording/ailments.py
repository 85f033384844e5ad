"""What may keep tables from being found or reached, in words: the cause, and what to do."""

from enum import Enum


class Ailment(Enum):
    """What can be the matter. The values are stable."""

    NO_INTERFACE = "no-interface"
    MULTICAST_OFF = "multicast-off"
    MULTICAST_BLOCKED = "multicast-blocked"
    PORT_TAKEN = "port-taken"
    NO_SUCH_HOST = "no-such-host"
    NO_ROUTE = "no-route"
    NOT_RUNNING = "not-running"
    PORT_BLOCKED = "port-blocked"
    SILENT = "silent"
    NOT_KEMPS = "not-kemps"
    OTHER_VERSION = "other-version"
    NOT_HEARD = "not-heard"


AILMENTS: dict[Ailment, tuple[str, str]] = {
    Ailment.NO_INTERFACE: (
        "no network interface of this machine is up",
        "Connect to a network. Playing alone needs none.",
    ),
    Ailment.MULTICAST_OFF: (
        "multicast is switched off on the interface {detail}, so no table is found there",
        "Switch it on, or say addresses: kemps join ADDRESS.",
    ),
    Ailment.MULTICAST_BLOCKED: (
        "multicast is blocked on the interface {detail}, so no table is found there",
        "Let UDP port 5353 through the firewall of this machine, or say addresses: kemps join ADDRESS.",
    ),
    Ailment.PORT_TAKEN: (
        "port {detail} of this machine is in use by another program",
        "`kemps host` takes the next free one then; others need its address with the port.",
    ),
    Ailment.NO_SUCH_HOST: ("there is no machine called {detail}", "Use the address that the host shows."),
    Ailment.NO_ROUTE: (
        "{detail} is not reached from this network: the machine is off, or in another network",
        "Are both machines in the same network?",
    ),
    Ailment.NOT_RUNNING: (
        "the machine of {detail} is there, but no table is open at that port",
        "Has the host started, and is this the port that it shows?",
    ),
    Ailment.PORT_BLOCKED: (
        "the port of {detail} is blocked: the machine is there, and a firewall swallows what comes",
        "Let TCP ports 5367 to 5383 through the firewall of that machine.",
    ),
    Ailment.SILENT: (
        "nothing answers at {detail}: the machine is off, in another network, or behind a firewall",
        "Are both machines in the same network?",
    ),
    Ailment.NOT_KEMPS: (
        "what listens at {detail} is not a table of kemps",
        "Is this the address that the host shows, with its port?",
    ),
    Ailment.OTHER_VERSION: (
        "the other side speaks version {detail} of the protocol, which this program does not",
        "Install the same version of kemps on both machines.",
    ),
    Ailment.NOT_HEARD: (
        "the table at {detail} is reached, but not found: multicast does not come through from there",
        "Join by the address. Some wireless networks keep their guests apart.",
    ),
}
"""What is the matter with what, and a hint."""


def ailment_text(ailment: Ailment, detail: str) -> tuple[str, str]:
    """What is the matter, and a hint."""
    text, hint = AILMENTS[ailment]
    return text.format(detail=detail), hint
