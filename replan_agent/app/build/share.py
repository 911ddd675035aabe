# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the package's shared files (config/, launch/) are on this machine."""

from __future__ import annotations

import os
import site
import sys
from pathlib import Path

PACKAGE = 'replan_agent'


def share_path(*parts: str) -> Path:
    """Return the shared file or folder, e.g. `share_path('config', 'scenes')`.

    Raises FileNotFoundError with all searched folders if it is in none of them.
    """
    places = share_folders()
    for place in places:
        # package.xml marks our folder: site-packages/config may belong to another package.
        if (place / 'package.xml').is_file() and place.joinpath(*parts).exists():
            return place.joinpath(*parts)
    looked_at = '\n'.join(f'  {place}' for place in places)
    raise FileNotFoundError(f'no {Path(*parts)} of {PACKAGE} in any of:\n{looked_at}')


def share_folders() -> list[Path]:
    """Return the folders that may hold the shared files, the likeliest first."""
    package = next(p for p in Path(__file__).resolve().parents if p.name == PACKAGE)
    checkout = package.parent  # also an editable install
    prefixes = [
        *package.parents[3:4],  # the prefix of <prefix>/lib/python3.x/site-packages
        checkout,  # pip install --target
        Path(sys.prefix),
        Path(site.getuserbase()),
        *(Path(p) for p in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep) if p),
    ]
    folders = [checkout, *(prefix / 'share' / PACKAGE for prefix in prefixes)]
    return list(dict.fromkeys(folders))
