"""Vectors: bytes with what they mean or what is wrong with them, for this program and for any other.

`README.md` says what is in which file; `python tests/protocol_vectors.py` writes all of them anew.
"""
