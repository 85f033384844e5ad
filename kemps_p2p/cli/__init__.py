"""Commands: read options, call what does the work, print, and leave with the right exit code."""
