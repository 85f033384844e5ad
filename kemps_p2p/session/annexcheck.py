"""What follows the chain of a log: one seat's annex, and whether the log is complete.

The annex is one seat's word, signed over the last entry: that a quorum has acked it, and who is called what.
Nothing is raised, whatever the bytes.

Section "Log" of protocol.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import quorum
from kemps_p2p.ledger.identity import verify_by_any
from kemps_p2p.ledger.tape import Ack, Head, TapeItem, open_item
from kemps_p2p.session.chaincheck import ChainCheck
from kemps_p2p.session.findings import Finding, Flaw, found
from kemps_p2p.session.genesis import name_commitment
from kemps_p2p.session.logfile import ANNEX_LABEL, Annex, annex_message, read_object
from kemps_p2p.session.standin import annex_keys
from kemps_p2p.session.tapecheck import TapeCheck


@dataclass(slots=True)
class AnnexCheck:
    """The check of what follows the chain."""

    chain: ChainCheck
    tapes: TapeCheck
    findings: list[Finding] = field(default_factory=list)
    signer: Seat | None = None
    names: tuple[str, ...] = ()
    observer_name: str | None = None
    certified_by: tuple[Seat, ...] = ()

    def check(self, tail: Sequence[bytes]) -> None:
        """Check the objects from the annex on, and whether the log is complete."""
        chain = self.chain
        if tail:
            self._read(tail[0])
        for _ in tail[1:]:
            self._note(Flaw.AFTER_ANNEX)
        if chain.is_broken:
            return
        if not chain.match.is_closed:
            self._note(Flaw.NOT_CLOSED)
        elif len(self.certified_by) < quorum(chain.founding.seats):
            text = f"{len(self.certified_by)} of {quorum(chain.founding.seats)} acks of the last entry"
            self._note(Flaw.NO_CERTIFICATE, None, text)

    def _note(self, code: Fault | Flaw, culprit: Seat | None = None, text: str = "") -> None:
        self.findings.append(Finding(self.chain.next_index, code, culprit, text))

    def _read(self, data: bytes) -> None:
        chain, founding = self.chain, self.chain.founding
        try:
            annex = read_object(data)
        except PeerFault as fault:
            self.findings.append(found(chain.next_index, fault))
            return
        assert isinstance(annex, Annex), "it begins as one"
        last = chain.entries[-1] if chain.entries else None
        if last is None or not 0 <= annex.seat < founding.tapes:
            if not chain.is_broken:
                self._note(Fault.BAD_ANNEX, None, "it belongs to no entry or no seat of this log")
            return
        message = annex_message(founding.match, last.digest, annex.seat, annex.certificate)
        try:
            keys = annex_keys(chain.match, annex.seat)
            verify_by_any(keys, ANNEX_LABEL, message, annex.signature)
        except PeerFault as fault:
            self.findings.append(found(chain.next_index, fault))
            return
        self.signer = Seat(annex.seat)
        self._check_names(annex)
        if not chain.is_broken:
            self._check_certificate(annex, self.signer, last)

    def _check_names(self, annex: Annex) -> None:
        """Names may be left out, but what is there is that of the genesis; nobody signs them."""
        records = self.chain.founding.genesis.people
        if not annex.names:
            return
        if len(annex.names) != len(records):
            self._note(Fault.BAD_ANNEX, None, "not one name for each seat, and for the observer")
            return
        for seat, ((name, salt), record) in enumerate(zip(annex.names, records, strict=True)):
            if name_commitment(salt, name) != record.name:
                self._note(Fault.BAD_ANNEX, None, f"name {seat} is not that of the genesis")
                return
        names = tuple(name for name, _ in annex.names)
        seats = self.chain.founding.seats
        self.names, self.observer_name = names[:seats], next(iter(names[seats:]), None)

    def _check_certificate(self, annex: Annex, signer: Seat, last: TapeItem) -> None:
        """Every item of a certificate is an ack of the last entry, each of another seat."""
        chain = self.chain
        acked = {last.seat}
        for signed in annex.certificate:
            try:
                item = open_item(signed, chain.founding.match, chain.match.signers)
            except PeerFault as fault:
                self._note(Fault.BAD_ANNEX, signer, f"an item of the certificate: {fault}")
                continue
            self.tapes.add(item, chain.next_index)
            if item.seat == chain.founding.observer:
                self._note(Fault.BAD_ANNEX, signer, "an observer cannot ack, and is in the certificate")
                continue
            if not any(self._is_ack(statement, last) for statement in item.item.body):
                self._note(Fault.BAD_ANNEX, signer, "an item of the certificate acks another entry, or none")
            elif item.seat in acked:
                self._note(Fault.BAD_ANNEX, signer, f"seat {item.seat} is in the certificate twice")
            acked.add(item.seat)
        self.certified_by = tuple(sorted(acked))

    def _is_ack(self, statement: object, last: TapeItem) -> bool:
        match = self.chain.match
        return statement == Ack(
            epoch=match.epoch,
            term=match.head_term,
            head=Head(index=len(self.chain.entries), digest=last.digest),
        )
