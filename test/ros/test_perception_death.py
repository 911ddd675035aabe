# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A perception node that is killed is named after its silence, not when discovery notices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from replan_agent_sim.sim_node import SimNode
from rig import Process, overrides, until

from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import PerceptionGone
from replan_agent.perceive.patient import PatientPerception
from replan_agent.ros.agent.clients import RosPerception
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.timeouts import Timeouts

# Only the silence can end the look. A node that starts again has a little longer.
TIMEOUTS = Timeouts(silence_timeout=3.0, observe_timeout=200.0, appear_timeout=6.0)


def test_a_killed_perception_node_is_told_after_its_silence(ros: Any) -> None:
    place: dict[str, Any] = {'namespace': 'blinded'}
    started = Process('-m', 'replan_agent.ros.nodes.perception_node', **place)
    node = ros.create_node('looker', **place)
    eyes, told = RosPerception(node, TIMEOUTS), list[str]()
    with started as eye, Spinning([SimNode(parameter_overrides=overrides(), **place), node]):
        until(lambda: eyes._observe._beats, lambda: 'no sign of life')
        assert PatientPerception(eyes, 1000.0).observe(Context()).objects
        eye.kill()
        with pytest.raises(PerceptionGone, match='perception_node fell silent; waited 6'):
            PatientPerception(eyes, 1000.0).observe(replace(Context(), report=told.append))
    (news,) = told
    assert news.startswith('perception_node has been silent for 3.')
