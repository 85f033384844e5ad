"""The table in a terminal: screens drawn from what one seat sees, for keys and mouse alike."""
