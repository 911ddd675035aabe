"""Facts about a failure, from its evidence and the scenes before and after it."""

from __future__ import annotations

from replan_agent.domain.cause import Cause
from replan_agent.domain.recovery import FailureCase
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.situation import step_object

MOVED_M = 0.015  # an object that was not lifted and is this far off was moved
EDGE_M = 0.02  # closer to the table's edge than this, the fingers have little room


def failed_object(case: FailureCase) -> SceneObject | None:
    """The object that the failed step acts on, as it was seen before."""
    return step_object(case.step, case.before, case.skill) if case.step else None


def moved_m(case: FailureCase) -> float | None:
    """How far (m) the object moved between the two looks; None if unknown."""
    thing = failed_object(case)
    now = case.after.get(thing.name) if thing and case.after and not case.after.stale else None
    return thing.pose.distance_to(now.pose) if thing and now else None


def vanished(case: FailureCase) -> bool:
    """Whether the object was seen before and is no longer seen."""
    thing = failed_object(case)
    return bool(thing and case.after and case.after.get(thing.name) is None)


def blockers(case: FailureCase) -> tuple[str, ...]:
    """The objects that are in the way, as the failure names them; the main one first.

    Never the object that the step acts on. The table counts only if nothing else is in the way.
    """
    thing = failed_object(case)
    own = {thing.name if thing else '', case.before.held or ''}
    found = [o for o in map(case.before.get, case.attempt.blockers) if o and o.name not in own]
    others = [o for o in found if o.shape is not Shape.TABLE]
    return tuple(o.name for o in others or found)


def near_edge(thing: SceneObject, scene: Scene) -> bool:
    """Whether the object is so close to the table's edge that it must not be pushed there."""
    table = scene.table
    if table is None:
        return False
    room = table.half_extents_in_base() - thing.half_extents_in_base()
    return any(abs(a - b) > free - EDGE_M
               for a, b, free in zip(thing.position[:2], table.position[:2], room[:2]))


def repeats(case: FailureCase, cause: Cause | None) -> int:
    """How often the same step failed before for the same cause, in this plan."""
    now = case.attempt
    return sum(a.skill == now.skill and case.acted_on(a.args) == case.acted_on(now.args)
               and a.plan_version == now.plan_version
               and a.diagnosis is not None and a.diagnosis.cause == cause for a in case.earlier)
