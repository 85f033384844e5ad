"""Where `kemps` begins: Ctrl-C is answered by a line even before the command line is read.

Imports nothing at first, since an import is what such a Ctrl-C interrupts.
"""

import sys

_INTERRUPTED = 130
"""`Exit.INTERRUPTED`, written out, since it may be just what could not be imported any more."""


def start() -> None:
    """Run the command line of this process, and leave with its exit code."""
    try:
        # Only here, so that it can be interrupted without a traceback.
        from kemps_p2p.cli.main import main

        main()
    except KeyboardInterrupt:
        sys.stderr.write("kemps: interrupted\n")
        sys.exit(_INTERRUPTED)
