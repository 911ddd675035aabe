# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the caller of a task hears while it runs."""

from __future__ import annotations

from hand_scenes import BIN, BOWL, cube, scene
from imagined_arm import ImaginedArm

from replan_agent import Config, build_agent
from replan_agent.agent.task_progress import Progress, ProgressRecorder
from replan_agent.app.build.build_agent import Ports
from replan_agent.app.build.build_reader import build_reader
from replan_agent.plan.search.search_planner import SearchPlanner


def test_the_caller_hears_what_was_understood_with_the_first_plan_and_later() -> None:
    arm = ImaginedArm(scene(cube('red_cube', 0.46, 0.10), cube('blue_cube', 0.5, -0.1), BOWL, BIN))
    heard: list[Progress] = []
    agent = build_agent(Config(), Ports(arm, arm, SearchPlanner(build_reader()), arm.approver,
                                        ProgressRecorder(heard.append)))
    result = agent.run('put the red cube in the bowl without touching the blue one')
    said = 'The red cube should be in the bowl, without touching the blue cube.'
    first = next(i for i, now in enumerate(heard) if now.plan_version)
    assert [now.understood for now in heard] == ['' if i < first else said
                                                 for i in range(len(heard))]
    assert result.as_dict()['understood'] == said
