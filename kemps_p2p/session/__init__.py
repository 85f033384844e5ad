"""The composition of rules, blind deck and signed log: it routes and orders, and never decides."""
