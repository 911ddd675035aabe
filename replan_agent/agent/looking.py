"""PERCEIVE: the scene now, and the progress of the suggested plan that it shows."""

from __future__ import annotations

from replan_agent.domain import event as events
from replan_agent.domain.out_of_sight import became_one
from replan_agent.domain.part_failed import checked_scene
from replan_agent.domain.task_result import FinalReason

from . import ports
from .broken_part import naming
from .episode import Ended, Episode
from .states import State

MOST_LOOKS_AGAIN = 2


def look(ep: Episode) -> None:
    """Look. The scene may be an old one, marked stale. The task ends if there is none."""
    ep.enter(State.PERCEIVING)
    try:
        update_scene(ep)
    except ports.PerceptionError as error:
        raise Ended(FinalReason.PERCEPTION_LOST, str(error)) from error


def look_for_missing(ep: Episode) -> None:
    """Look again if an object of a goal was seen earlier in this task and is not seen now.

    Something may have been in front of the camera for a moment.
    """
    for _ in range(MOST_LOOKS_AGAIN):
        names = {name for goal in ep.goals for name in goal.names if name in ep.last_seen}
        missing = names - set(ep.current_scene.names()) - ep.parts
        if ep.current_scene.stale or not missing or ep.ports.perception.uses_model:
            return
        look(ep)


def update_scene(ep: Episode) -> None:
    """Observe and remember the scene. Raises PerceptionError if there is none."""
    started = ep.ports.clock.now()
    perception = ep.ports.perception
    with naming(f'perception {perception.name!r}'):
        scene = checked_scene(perception.observe(ep.ctx), perception.name)
    for warning in scene.warnings:
        ep.record(events.WarningRaised(warning))
    ep.recaptures += ep.scene is not None
    before, ep.scene = ep.scene, scene
    ep.just_looked = True
    ep.scenes = ep.scenes or [scene]
    if not scene.stale:
        ep.parts |= became_one(before, scene) if before is not None else set()
        ep.parts -= set(scene.names())
        ep.last_seen |= dict.fromkeys(scene.names(), scene)
    elapsed = ep.ports.clock.now() - started
    ep.add_time('perceive', elapsed)
    ep.record(events.ScenePerceived(scene, elapsed))
    _note_progress(ep)


def _note_progress(ep: Episode) -> None:
    ep.budgets.note_progress(ep.goals, ep.current_scene)
    if ep.suggested_plan is not None and not ep.current_scene.stale:
        ep.keep_suggested_plan(ep.suggested_plan.seen_in(ep.current_scene))
