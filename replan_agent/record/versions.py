# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The software versions that go into every result."""

from __future__ import annotations

import functools
import platform
from collections.abc import Mapping
from importlib import metadata

from replan_agent import __version__

REPORTED_PACKAGES = ('mujoco', 'numpy', 'scipy', 'opencv-python', 'opencv-python-headless',
                     'openai')


@functools.cache  # finding out takes as long as a short motion
def versions() -> Mapping[str, str]:
    """Versions of this package, Python and the packages that results depend on."""
    found = {'replan_agent': __version__, 'python': platform.python_version(),
             'machine': platform.machine(), 'system': platform.system()}
    for name in REPORTED_PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
