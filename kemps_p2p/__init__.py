"""Kemps, peer to peer: rules, blind deck, signed log, and the machine that joins them."""

__version__ = "0.1.0"
