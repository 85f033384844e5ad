"""The signed log: tapes, claims, receipts, entries and their order; what they carry is opaque here."""
