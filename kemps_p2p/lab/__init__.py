"""Experiments: benches now; fairness, faults and attacks later."""
