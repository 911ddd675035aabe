# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tasks that see with the camera, over the whole graph: the objects are known from pixels only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from replan_agent_interfaces.action import ExecuteTask
from replan_agent_sim.all_in_one import all_nodes
from rig import Caller, overrides, spun

Result = ExecuteTask.Result

pytestmark = pytest.mark.gl


@pytest.fixture
def caller(ros: Any) -> Iterator[Caller]:
    """Patient, because drawing is slow where the machine is busy or emulated."""
    parameters = overrides(use_sim_time=True, perception='camera', camera_timeout=30.0,
                           timeouts__observe_timeout=60.0)
    with spun(*all_nodes(parameter_overrides=parameters)) as caller:
        yield caller


def test_a_task_succeeds_by_what_the_camera_sees(caller: Caller) -> None:
    result = caller.run('pick up the red cube').result
    assert result.final_reason == Result.FINAL_PLAN_COMPLETE, result.final_detail
    assert (result.success, result.perception) == (True, 'camera')
    assert not list(result.attempts), 'nothing went wrong on the way'
