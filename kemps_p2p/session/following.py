"""A log that grows, checked entry by entry as it comes: what a spectator holds who has no tapes of its own.

Pure: bytes in, folded entries out. Every signature, proof and link is checked as in an audit; which entries
are final is the word of whoever gives the log. Section "Log" of protocol.md.
"""

from kemps_p2p.codec import encode, frame
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.session.chaincheck import ChainCheck, Step
from kemps_p2p.session.genesis import Founding, SignedGenesis, check_signatures, found
from kemps_p2p.session.logfile import ANNEX_LEAD, header_of, read_object
from kemps_p2p.session.match import begin


class Following:
    """One log so far."""

    def __init__(self) -> None:
        self._rest = b""
        self._header: bytes | None = None
        self._chain: ChainCheck | None = None
        self.has_ended = False
        """True once the annex has come: the log is complete."""

    @property
    def founding(self) -> Founding | None:
        """The founding, once the genesis has come."""
        return None if self._chain is None else self._chain.founding

    def feed(self, data: bytes) -> list[Step]:
        """Take in more bytes; the entries that are complete by now.

        Raises `PeerFault` if the log does not hold. Nothing that comes after that may be fed.
        """
        framed = frame(self._rest + data)
        if framed.flaw is not None:
            raise PeerFault(Fault.MALFORMED, framed.flaw)
        self._rest = framed.rest
        steps: list[Step] = []
        for item in framed.objects:
            steps += self._take(item)
        return steps

    def _take(self, data: bytes) -> list[Step]:
        if self._header is None:
            self._header = data
        elif self._chain is None:
            self._begin(self._header, data)
        elif data.startswith(ANNEX_LEAD):
            self.has_ended = True
        else:
            return self._read(self._chain, data)
        return []

    def _begin(self, header: bytes, data: bytes) -> None:
        signed = read_object(data)
        if not isinstance(signed, SignedGenesis):
            raise PeerFault(Fault.BAD_GENESIS, "no genesis follows the header")
        founding = found(signed.raw)
        check_signatures(founding, signed.signatures)
        if header != encode(header_of(founding)):
            raise PeerFault(Fault.BAD_GENESIS, "the header differs from the genesis")
        self._chain = ChainCheck(founding, begin(founding))

    @staticmethod
    def _read(chain: ChainCheck, data: bytes) -> list[Step]:
        chain.read(data)
        if chain.findings:
            first = chain.findings[0]
            code = first.code if isinstance(first.code, Fault) else Fault.BAD_ENTRY
            raise PeerFault(code, f"entry {first.index}: {first.text}", culprit=first.culprit)
        # What has been seen is not asked for again, and a long match would fill the memory with it.
        steps, chain.steps[:] = list(chain.steps), []
        return steps
