"""What counts in the certificate of a log: acks of its last entry, each in full, each of a seat."""

import pytest
from msgspec import structs

from kemps_p2p.errors import Fault
from kemps_p2p.ledger.tape import Ack, TapeItem
from kemps_p2p.session.audit import Audit, audit
from vectors.form import ELSEWHERE
from vectors.lie_stages import end_soon, spoilt
from vectors.log_scribe import Scribe
from vectors.make_logs import OBSERVER, STUB, short


def audited(s: Scribe, *, by: int | None, ack: Ack) -> Audit:
    """The log with this ack in the place of the first of its certificate; `by`: of the same seat if None."""

    def certificate(acks: tuple[TapeItem, ...]) -> tuple[TapeItem, ...]:
        return s.say(acks[0].seat if by is None else by, ack), *acks[1:]

    s.objects.append(s.annex(certificate=certificate))
    return audit(s.log, allow_stub=True)


def found(one: Audit) -> list[tuple[int, object, int | None]]:
    return [(finding.index, finding.code, finding.culprit) for finding in one.findings]


def true_ack(s: Scribe) -> Ack:
    return Ack(epoch=s.match.epoch, term=s.match.head_term, head=s.match.head)


def test_a_certificate_of_acks_is_one() -> None:
    s = spoilt().copy()
    assert found(audited(s, by=None, ack=true_ack(s))) == []


@pytest.mark.parametrize(
    ("changes", "of_head"),
    [({"epoch": 1}, {}), ({"term": 1}, {}), ({}, {"index": 1}), ({}, {"digest": ELSEWHERE})],
)
def test_an_ack_of_anything_but_the_last_entry_is_its_signers_fault(
    changes: dict[str, object], of_head: dict[str, object]
) -> None:
    s = spoilt().copy()
    ack = true_ack(s)
    other = structs.replace(ack, head=structs.replace(ack.head, **of_head), **changes)
    assert found(audited(s, by=None, ack=other)) == [(s.match.head.index + 1, Fault.BAD_ANNEX, 0)]


def test_an_observer_is_in_no_certificate_and_does_not_make_it_full() -> None:
    s = Scribe.seated(short(), 4, STUB, observers=1)
    s.fulfil(prepares=True)
    end_soon(s)
    one = audited(s, by=OBSERVER, ack=true_ack(s))
    assert (s.match.head.index + 1, Fault.BAD_ANNEX, 0) in found(one)
    assert OBSERVER not in one.certified_by
