"""What an audit finds, in words: one phrase for each fault of a peer and each flaw of a file."""

from kemps_p2p.errors import Fault
from kemps_p2p.session.findings import Code, Finding, Flaw
from kemps_p2p.wording.people import People
from kemps_p2p.wording.plain import plain

FAULTS: dict[Fault, str] = {
    Fault.MALFORMED: "something is there that cannot be read",
    Fault.NEWER_VERSION: "the log was written by a newer version of this program",
    Fault.NOT_CANONICAL: "something is written in another way than the one that is allowed",
    Fault.TOO_LARGE: "something is larger than the protocol allows",
    Fault.BAD_SIGNATURE: "a signature does not hold: these bytes are not what was signed",
    Fault.BAD_KEY: "a key is not allowed",
    Fault.BAD_LINK: "a link does not lead to what comes before",
    Fault.BAD_STAMP: "something is stamped before what it rests on",
    Fault.WRONG_MATCH: "something belongs to another match",
    Fault.WRONG_SEAT: "something is said that only a seat of this table may say",
    Fault.WRONG_TERM: "an entry was made by a seat that was not on duty",
    Fault.OTHER_INCARNATION: "a message stands where another incarnation of its seat has the word",
    Fault.EQUIVOCATION: "a seat signed two statements that contradict each other",
    Fault.BAD_GENESIS: "the founding of the match does not hold",
    Fault.OTHER_RULES: "a seat wants to play by another rule set",
    Fault.BAD_COMMITMENT: "what was opened is not what was committed to",
    Fault.BAD_POINT: "a blinded card is no valid one",
    Fault.BAD_SCALAR: "a number in a proof is out of range",
    Fault.BAD_KEY_PROOF: "a seat does not prove that a key is its own",
    Fault.BAD_TURN: "a shuffle turn is out of turn, or of another deck",
    Fault.BAD_SHUFFLE_PROOF: "a shuffle turn changed more than the order of the cards",
    Fault.BAD_SHARE_PROOF: "a share that opens cards is false",
    Fault.NOT_OWED: "something was published, or let in, that was not due",
    Fault.BAD_SEED: "an opened seed is not the one that the shuffle was made with",
    Fault.BAD_SEAL: "an opened seed does not say what a sealed gesture was made for",
    Fault.BAD_COIN: "a coin is not the one that was committed to",
    Fault.BAD_CLAIM: "a claim makes no sense where it was made",
    Fault.BAD_ENTRY: "an entry says what it may not say here",
    Fault.BAD_EVIDENCE: "the evidence of an entry is not what it should be",
    Fault.BAD_VERDICT: "an entry states a result that does not follow from the rules",
    Fault.BAD_ORDER: "an entry puts claims into an order that the table did not see",
    Fault.BAD_CHECKPOINT: "a deal starts from other scores, another dealer or another number than it should",
    Fault.BAD_TIME: "an entry states a time that cannot be",
    Fault.BAD_BLAME: "an entry blames a seat for what is not proven",
    Fault.BAD_TAKE_OVER: "a seat takes the duty of ordering over, or hands it over, as it may not",
    Fault.BAD_ANNEX: "what a seat added at the end of its log is false",
}

FLAWS: dict[Flaw, str] = {
    Flaw.NO_FILE: "there is no file that can be read",
    Flaw.NOT_A_LOG: "this is not the log of a match",
    Flaw.TORN: "the file ends in the middle of something",
    Flaw.NO_GENESIS: "the file ends before the match begins",
    Flaw.NOT_CLOSED: "the log ends before the match does, and nothing in it says why",
    Flaw.NO_CERTIFICATE: "too few acknowledgements (acks) show that the end of the log is final",
    Flaw.INSECURE_GROUP: "this log is of a simulation, whose cards are not hidden at all",
    Flaw.BAD_HEADER: "the header of the file does not repeat the founding of the match",
    Flaw.MISSING_ENTRY: "an entry is missing",
    Flaw.OUT_OF_PLACE: "an entry lies where it does not belong",
    Flaw.AFTER_ANNEX: "something follows after the end of the log",
    Flaw.FORK: "the logs hold different entries at one place, and both are signed",
    Flaw.OTHER_ACK: "a seat acknowledged another entry than this log has: somebody lied, it is not known who",
    Flaw.PUNISHED: "a seat contradicted itself, was found out during play and lost a deal for it",
    Flaw.TOO_MANY: "there is too much wrong to go on",
}


def phrase(code: Code) -> str:
    """What a code means."""
    return FAULTS[code] if isinstance(code, Fault) else FLAWS[code]


def sentence(finding: Finding, people: People) -> str:
    """A finding in words, without its place: who, what, and details for experts in brackets."""
    who = "" if finding.culprit is None else f"{people.numbered(finding.culprit)} is at fault: "
    detail = f" [{plain(finding.text)}]" if finding.text else ""
    return f"{who}{phrase(finding.code)}{detail}"
