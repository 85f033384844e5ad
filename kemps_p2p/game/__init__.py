"""The rules of Kemps: five rule books as data, one engine; no peers, keys, bytes or clocks."""
