"""Every sentence for people: reasons, faults, verdicts, events. Knows what things mean, not how they look."""
