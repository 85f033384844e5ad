"""Reports made from logs: audits and replays, as lines for people and as JSON. Needs no runtime."""
