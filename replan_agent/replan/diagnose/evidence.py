"""What the scenes before and after a failure, and its facts, tell about it."""

from __future__ import annotations

from replan_agent.domain.cause import Cause
from replan_agent.domain.recovery import FailureCase
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.situation import step_object

MOVED_M = 0.015  # an object that nobody lifted and that is this far off was moved
EDGE_M = 0.02  # closer to the table's edge than this, the fingers have little room


def thing_of(case: FailureCase) -> SceneObject | None:
    """What the failed step acts on, as it was seen before."""
    return step_object(case.step, case.before, case.skill) if case.step else None


def moved_m(case: FailureCase) -> float | None:
    """How far (m) the object went between the two looks; None when that is not known."""
    thing = thing_of(case)
    now = case.after.get(thing.name) if thing and case.after and not case.after.stale else None
    return thing.pose.distance_to(now.pose) if thing and now else None


def vanished(case: FailureCase) -> bool:
    """Whether the object was seen before and is not seen any more."""
    thing = thing_of(case)
    return bool(thing and case.after and case.after.get(thing.name) is None)


def blockers(case: FailureCase) -> tuple[str, ...]:
    """The things that the failure says are in the way, the one that blocks most first.

    What the step acts on is none of them, and the table only when nothing else is in the way.
    """
    thing = thing_of(case)
    own = {thing.name if thing else '', case.before.held or ''}
    found = [o for o in map(case.before.get, case.attempt.blockers) if o and o.name not in own]
    others = [o for o in found if o.shape is not Shape.TABLE]
    return tuple(o.name for o in others or found)


def near_edge(thing: SceneObject, scene: Scene) -> bool:
    """Whether the object stands so close to the table's edge that it may not be pushed there."""
    table = scene.table
    if table is None:
        return False
    room = table.half_extents_in_base() - thing.half_extents_in_base()
    return any(abs(a - b) > free - EDGE_M
               for a, b, free in zip(thing.position[:2], table.position[:2], room[:2]))


def repeats(case: FailureCase, cause: Cause | None) -> int:
    """How often the same step failed for the same cause before, in this plan."""
    now = case.attempt
    return sum(a.skill == now.skill and case.acted_on(a.args) == case.acted_on(now.args)
               and a.plan_version == now.plan_version
               and a.diagnosis is not None and a.diagnosis.cause == cause for a in case.earlier)
