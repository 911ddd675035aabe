# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fixtures of the ROS tests, and a stand-in of MoveIt."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[4] / 'test' / 'ros')]

from ros_fixtures import *  # noqa: E402 F403


@pytest.fixture
def moveit(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A MoveItPy of the stand-in; its modules exist during the test."""
    import moveit_stand_in as stand_in

    for name, module in stand_in.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, 'replan_agent_moveit.moveit_scene', raising=False)
    from replan_agent_moveit.moveit_config import TOPICS, for_moveit_py

    yield stand_in.MoveItPy(config_dict=for_moveit_py(stand_in.PARAMETERS), remappings=TOPICS)
    sys.modules.pop('replan_agent_moveit.moveit_scene', None)
