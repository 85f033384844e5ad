"""Where this machine keeps what is a player's own: identity, match secrets, journals, logs.

`KEMPS_HOME` moves all of it. Knows nothing of what lies there, so that an audit can look for a log.
"""

import os
from pathlib import Path


def home_directory() -> Path:
    """The directory of everything kept between matches."""
    told = os.environ.get("KEMPS_HOME")
    if told:
        return Path(told).expanduser()
    # Only here, since most commands never need it.
    import platformdirs

    return Path(platformdirs.user_data_path("kemps", appauthor=False))
