"""Players that are programs: a seat's view in, an action out. They see `game` alone."""
