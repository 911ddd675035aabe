# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""camera_vlm over ROS: perception_node asks a model for what colour cannot name."""

from __future__ import annotations

from typing import Any

import pytest
from replan_agent_bench.scripted.scripted_model import scripted_model
from replan_agent_bench.scripted.scripted_server import MODEL
from replan_agent_interfaces.action import ExecuteTask
from replan_agent_sim.all_in_one import all_nodes
from rig import overrides, spun

Result = ExecuteTask.Result

pytestmark = pytest.mark.gl


def carried_out(**goal: Any) -> Any:
    """The result of a task about a lemon, which colour does not name."""
    with scripted_model() as server:
        parameters = overrides(
            use_sim_time=True, scene='fruit', perception='camera_vlm', camera_timeout=30.0,
            timeouts__observe_timeout=60.0, vlm__base_url=server.base_url, vlm__model=MODEL)
        with spun(*all_nodes(parameter_overrides=parameters)) as caller:
            return caller.run('put the lemon in the bowl', **goal).result


@pytest.mark.release
def test_a_model_points_at_what_the_task_names_and_its_calls_are_counted(ros: Any) -> None:
    result = carried_out()
    assert result.final_reason == Result.FINAL_PLAN_COMPLETE, result.final_detail
    assert (result.perception, result.api_calls) == ('camera_vlm', 1)


def test_without_model_calls_left_nobody_is_asked(ros: Any) -> None:
    result = carried_out(max_api_calls=-1)
    assert result.final_reason == Result.FINAL_BUDGET_EXHAUSTED, result.final_detail
