"""IO: sockets, files, clocks and entropy live only here; effects of a session are carried out here."""
