"""Line mode: the whole game as lines of text, for screen readers, scripts and tests."""
