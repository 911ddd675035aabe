# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The table of what is seen."""

from __future__ import annotations

from replan_agent_calibrate.look_command import scene_table

from replan_agent.app.terminal.console import plain_console
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape


def test_names_in_a_table_are_printed_as_they_are(capsys):
    thing = SceneObject('[/red]', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.0, 0.02)))
    plain_console().print(scene_table(Scene('s', 0.0, (thing,), 'camera')))
    assert '[/red]' in capsys.readouterr().out
