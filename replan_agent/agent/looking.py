# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""PERCEIVE: the scene now, and the progress of the suggested plan that it shows."""

from __future__ import annotations

from replan_agent.domain import event as events
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.scene import Scene
from replan_agent.domain.task_result import FinalReason

from .broken_part import naming
from .episode import Ended, Episode
from .task_progress import State

MOST_LOOKS_AGAIN = 2


def look(ep: Episode) -> None:
    """Look. The scene may be an old one, marked stale. The task ends if there is none."""
    ep.enter(State.PERCEIVING)
    try:
        update_scene(ep)
    except PerceptionError as error:
        raise Ended(FinalReason.PERCEPTION_LOST, str(error), remedy=(
            'a camera that gives new pictures: check its driver, its cable and its view'
        )) from error


def look_for_missing(ep: Episode) -> None:
    """Look again if an object of a goal was seen earlier in this task and is not seen now.

    Something may have been in front of the camera for a moment.
    """
    for _ in range(MOST_LOOKS_AGAIN):
        if ep.ports.perception.uses_model or not missing(ep):
            return
        look(ep)


def missing(ep: Episode) -> bool:
    """Whether the last look does not show a thing of a goal that an earlier one showed."""
    return not ep.scene.stale and bool(ep.sight.missing(
        name for goal in ep.goals.all for name in goal.names))


def update_scene(ep: Episode) -> None:
    """Observe and remember the scene. Raises PerceptionError if there is none."""
    started = ep.ports.clock.now()
    perception = ep.ports.perception
    with naming(f'perception {perception.name!r}'):
        scene = Scene.checked(perception.observe(ep.ctx), perception.name)
    for warning in scene.warnings:
        ep.warn(warning)
    ep.sight.take(scene)
    elapsed = ep.ports.clock.now() - started
    ep.budgets.add_time('perceive', elapsed)
    ep.record(events.ScenePerceived(scene, elapsed))
    if ep.goals.progressed(scene):
        ep.budgets.renew()
    ep.goals.see_stages(scene)
