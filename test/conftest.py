"""What all tests share."""

from __future__ import annotations

import ctypes
import signal
from collections.abc import Iterator

import pytest

try:
    from hypothesis import settings
except ImportError:  # the ROS runtime goes without
    pass
else:
    # A busy machine is no bug, and a failure must come back on the next run.
    settings.register_profile('replan_agent', deadline=None, derandomize=True)
    settings.load_profile('replan_agent')


@pytest.fixture(scope='session', autouse=True)
def ctrl_c_is_heard() -> Iterator[None]:
    """A job in the background of a script ignores Ctrl-C, and so would the processes it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _can_draw() -> bool:
    for library in ('libEGL.so.1', 'libOSMesa.so.8'):
        try:
            ctypes.CDLL(library)
        except OSError:
            continue
        return True
    return False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if _can_draw():
        return
    for item in items:
        if 'gl' in item.keywords:
            item.add_marker(pytest.mark.skip(reason='no libEGL: apt-get install libegl1'))
