"""The audit: bytes of logs in, what they prove and what is wrong with them out. Pure.

Trusts nobody: header, genesis, signatures, items, links, stamps, proofs, order, verdicts and scores are
checked or derived anew, with the one fold that live play uses. Invariants:

1. Nothing is raised, whatever the bytes.
2. A log is clean only if all its bytes are signed, hashed or derived, and it is complete: closed by an entry
   that a quorum has acked.

Section "Log" of protocol.md.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from kemps_p2p.codec import Framed, encode, frame
from kemps_p2p.deck.group import STUB
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat, Team
from kemps_p2p.ledger.identity import verify
from kemps_p2p.ledger.tape import Head, TapeItem
from kemps_p2p.session import genesis
from kemps_p2p.session.annexcheck import AnnexCheck
from kemps_p2p.session.chaincheck import ChainCheck, Progress, Step, check_chain
from kemps_p2p.session.crosscheck import Split, TapesOf, cross_check
from kemps_p2p.session.findings import Finding, Flaw, Verdict, found, in_order, judge
from kemps_p2p.session.fold import Proofs
from kemps_p2p.session.genesis import GENESIS_LABEL, Founding, SignedGenesis
from kemps_p2p.session.logfile import ANNEX_LEAD, header_of, read_object, version_of
from kemps_p2p.session.match import Match
from kemps_p2p.session.messages import PROTOCOL_VERSION
from kemps_p2p.session.provers import Helpers, Proven, Share, SharedProofs, together
from kemps_p2p.session.replay import winners
from kemps_p2p.session.tapecheck import TapeCheck

__all__ = ["Audit", "Finding", "Flaw", "JointAudit", "Split", "Verdict", "audit", "audit_all"]


@dataclass(frozen=True, slots=True)
class Audit:
    """What one log proves and what is wrong with it.

    `steps`: the entries that hold, in order. `entries`: those that are signed, by index from 1, whether they
    hold or not. `remarks`: what is worth knowing and speaks against no byte of the log.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    remarks: tuple[Finding, ...] = ()
    founding: Founding | None = None
    names: tuple[str, ...] = ()
    observer_name: str | None = None
    annexed_by: Seat | None = None
    certified_by: tuple[Seat, ...] = ()
    steps: tuple[Step, ...] = ()
    entries: tuple[TapeItem | None, ...] = ()
    tapes: TapeCheck | None = None

    @property
    def match(self) -> Match | None:
        """The match after the last entry that holds; None if there is no such entry."""
        return self.steps[-1].match if self.steps else None

    @property
    def head(self) -> Head | None:
        """Index and digest of the last entry that holds; of genesis before that; None without a genesis."""
        if self.match is not None:
            return self.match.head
        return None if self.founding is None else Head(index=0, digest=self.founding.match)

    @property
    def deals(self) -> int:
        """How many deals have been started."""
        return 0 if self.match is None else self.match.game.deal + 1

    @property
    def scores(self) -> tuple[int, ...]:
        """By team."""
        return () if self.match is None else self.match.game.scores

    @property
    def winners(self) -> tuple[Team, ...]:
        """The teams that have won; none before the match is over."""
        return () if self.match is None else tuple(map(Team, winners(self.match)))


@dataclass(frozen=True, slots=True)
class JointAudit:
    """Several logs, each audited, and where they contradict each other."""

    verdict: Verdict
    audits: tuple[Audit, ...]
    splits: tuple[Split, ...] = ()
    findings: tuple[Finding, ...] = ()
    """What only the logs together show."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """A log cut into what every seat has alike and what follows."""

    framed: Framed
    head: tuple[bytes, ...]
    chain: tuple[bytes, ...]
    tail: tuple[bytes, ...]


def audit(log: bytes, *, allow_stub: bool = False, progress: Progress | None = None) -> Audit:
    """Audit one log. `allow_stub`: logs of simulations, whose cards are not hidden at all, may be clean."""
    parts = _cut(log)
    return _conclude(parts, _read(parts, progress, Proofs(is_eager=True), allow_stub=allow_stub))


def audit_all(
    logs: Sequence[bytes],
    *,
    allow_stub: bool = False,
    progress: Progress | None = None,
    helpers: Helpers | None = None,
) -> JointAudit:
    """Audit each log, and each against the others of its match. A chain that several share is folded once.

    `helpers`: who verifies a part of the proofs meanwhile. What is found does not depend on them.
    """
    chains: dict[tuple[bytes, ...], _Chain] = {}
    audits = []
    for log, parts in zip(logs, map(_cut, logs), strict=True):
        shared = parts.head + parts.chain
        if shared not in chains:
            read = partial(_read, parts, progress, allow_stub=allow_stub)
            chains[shared] = read(Proofs(is_eager=True)) if helpers is None else _helped(log, read, helpers)
        audits.append(_conclude(parts, chains[shared]))
    told = [
        TapesOf(one.founding.match, one.entries, one.tapes) if one.founding and one.tapes else None
        for one in audits
    ]
    splits, findings = cross_check(told)
    verdict = Verdict.CONTRADICT if findings else worst(one.verdict for one in audits)
    return JointAudit(verdict, tuple(audits), splits, findings)


def prove_share(log: bytes, share: Share) -> Proven:
    """Verify one share of the proofs of a log, for whoever audits it. Raises nothing, whatever the bytes."""
    proofs = SharedProofs(share=share)
    # What is believed may not hold, and the fold may then meet what it never does: whoever audits finds out.
    with suppress(Exception):
        _read(_cut(log), None, proofs, allow_stub=True)
    return proofs.proven()


def _helped(log: bytes, read: Callable[[Proofs], "_Chain"], helpers: Helpers) -> "_Chain":
    """Read a chain while helpers verify other shares; once more with what is known, if that may differ."""
    others = helpers.start(log)
    own = SharedProofs(share=Share(0, len(others) + 1))
    chain: _Chain | None = None
    # As in `prove_share`. A bug of ours is met again when the chain is read without belief.
    with suppress(Exception):
        chain = read(own)
    known = together([own.proven(), *(wait() for wait in others)])
    if chain is None or known.bad or not own.assumed <= known.good:
        return read(known)
    return chain


_SEVERITY = (
    Verdict.CLEAN,
    Verdict.UNDECIDABLE,
    Verdict.UNREADABLE,
    Verdict.VIOLATED,
    Verdict.CONTRADICT,
)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """What several verdicts come to; without any, that there is nothing to read."""
    return max(verdicts, key=_SEVERITY.index, default=Verdict.UNREADABLE)


def _cut(log: bytes) -> _Parts:
    framed = frame(log)
    end = len(framed.objects)
    for place, data in enumerate(framed.objects[2:], start=2):
        if data.startswith(ANNEX_LEAD):
            end = place
            break
    return _Parts(framed, framed.objects[:2], framed.objects[2:end], framed.objects[end:])


_Chain = tuple[ChainCheck | None, tuple[Finding, ...]]
"""The chain as far as there is one to check, and all findings up to its end."""


def _read(parts: _Parts, progress: Progress | None, proofs: Proofs, *, allow_stub: bool) -> _Chain:
    """Check header, genesis and records."""
    if not parts.head:
        return None, (Finding(0, Flaw.NOT_A_LOG),)
    findings: list[Finding] = []
    version = version_of(parts.head[0])
    if version is None:
        return None, (Finding(0, Flaw.NOT_A_LOG),)
    if version > PROTOCOL_VERSION:
        text = f"version {version}, and this program reads up to {PROTOCOL_VERSION}"
        return None, (Finding(0, Fault.NEWER_VERSION, None, text),)
    if len(parts.head) < 2:
        return None, (*findings, Finding(0, Flaw.NO_GENESIS))
    founding = _found(parts.head[1], findings)
    if founding is None:
        return None, tuple(findings)
    if parts.head[0] != encode(header_of(founding)):
        findings.append(Finding(0, Flaw.BAD_HEADER, None, "the header differs from the genesis"))
    if founding.group is STUB and not allow_stub:
        findings.append(Finding(0, Flaw.INSECURE_GROUP))
    chain = check_chain(founding, parts.chain, findings, progress, proofs)
    return chain, tuple(chain.findings)


def _found(data: bytes, findings: list[Finding]) -> Founding | None:
    """The founding of a genesis that at least one seat has signed; what is wrong goes to `findings`."""
    try:
        signed = read_object(data)
        if not isinstance(signed, SignedGenesis):
            raise PeerFault(Fault.BAD_GENESIS, "no genesis follows the header")
        founding = genesis.found(signed.raw)
    except PeerFault as fault:
        findings.append(found(0, fault))
        return None
    if len(signed.signatures) != founding.tapes:
        text = "the genesis does not have one signature a seat"
        findings.append(Finding(0, Fault.BAD_GENESIS, None, text))
    is_signed = False
    for seat, (key, signature) in enumerate(zip(founding.keys, signed.signatures, strict=False)):
        try:
            verify(key, GENESIS_LABEL, founding.match, signature)
            is_signed = True
        except PeerFault as fault:
            text = f"the signature of seat {seat} under the genesis does not verify"
            findings.append(Finding(0, fault.code, None, text))
    # Without one good signature the genesis is anybody's text, and what follows belongs to another match.
    return founding if is_signed else None


def _conclude(parts: _Parts, read: _Chain) -> Audit:
    """Check what follows the chain, and judge."""
    chain, before = read
    if chain is None and judge(before) is Verdict.UNREADABLE:
        return Audit(Verdict.UNREADABLE, before)
    findings = [*before, *_rest(parts.framed, 0 if chain is None else chain.next_index)]
    if chain is None:
        return Audit(judge(findings), in_order(findings))
    annex = AnnexCheck(chain, chain.tapes.copy())
    annex.check(parts.tail)
    findings += annex.findings
    findings += annex.tapes.findings(chain.entries)
    remarks = tuple(annex.tapes.remarks(chain.digests))
    ordered = in_order(findings)
    return Audit(
        verdict=judge(ordered),
        findings=ordered,
        remarks=remarks,
        founding=chain.founding,
        names=annex.names,
        observer_name=annex.observer_name,
        annexed_by=annex.signer,
        certified_by=annex.certified_by,
        steps=tuple(chain.steps),
        entries=tuple(chain.entries),
        tapes=annex.tapes,
    )


def _rest(framed: Framed, index: int) -> list[Finding]:
    """What is left of the bytes behind the last whole object."""
    if not framed.rest:
        return []
    # Some file systems leave zeros behind a tail that did not reach the disk.
    if framed.flaw is None or not framed.rest.strip(b"\0"):
        return [Finding(index, Flaw.TORN, None, f"{len(framed.rest)} bytes of an unfinished object")]
    return [Finding(index, Fault.MALFORMED, None, framed.flaw)]
