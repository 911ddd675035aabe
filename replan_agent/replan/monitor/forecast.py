"""Where things will be after some steps, as far as that is certain; no geometry is simulated."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from replan_agent.domain.goal import AT_TOLERANCE_M, Goal, Predicate, is_inside, judge
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Scene, Shape

ON_TARGET = frozenset({'place_on', 'place_in', 'stack'})
STILL = frozenset({'home', 'look'})  # moves no object


@dataclass(frozen=True)
class Spot:
    """Where a step leaves a thing: on or in `target`, at `position` (x, y, m), in the gripper.

    None of these: somewhere that only a look will show.
    """

    target: str | None = None
    position: tuple[float, float] | None = None
    held: bool = False


@dataclass
class Forecast:
    """The scene, and what the steps did to it. `lost`: some step did who knows what."""

    scene: Scene
    held: str | None
    spots: dict[str, Spot] = field(default_factory=dict)
    lost: bool = False

    def take(self, step: Step) -> None:
        """Go on by one step."""
        thing = step.args.get('object')
        if step.skill == 'pick' and thing:
            self.held, self.spots[thing] = thing, Spot(held=True)
        elif step.skill == 'push' and thing:
            self.spots[thing] = Spot()
        elif (spot := spot_of(step)) is not None and self.held:
            self.spots[self.held], self.held = spot, None
        elif step.skill == 'open_gripper':
            self.spots |= {self.held: Spot()} if self.held else {}
            self.held = None
        elif step.skill not in STILL and not step.is_replan:
            self.lost = True

    def judge(self, goal: Goal) -> bool | None:
        """True or False where it is certain, else None."""
        if self.lost or goal.predicate is Predicate.HOME:
            return None
        if goal.predicate is Predicate.HOLDING:
            return self.held == goal.object if goal.object else self.held is not None
        spot = self.spots.get(goal.object or '')
        if spot is None:
            return None if goal.target in self.spots else judge(goal, self.scene)
        if spot.held:
            return False
        return self._at(goal, spot) if goal.predicate is Predicate.AT else self._on(goal, spot)

    def _at(self, goal: Goal, spot: Spot) -> bool | None:
        where, slack = spot.position, AT_TOLERANCE_M
        below = self.scene.get(spot.target or '')
        if below is not None and below.shape is not Shape.TABLE and below.name not in self.spots:
            where, slack = below.position[:2], max(below.size[:2])
        if where is None or goal.position is None:
            return None
        off = math.dist(where, goal.position)
        if spot.position is not None and off <= AT_TOLERANCE_M:
            return True
        return False if off > AT_TOLERANCE_M + slack else None

    def _on(self, goal: Goal, spot: Spot) -> bool | None:
        if spot.target == goal.target:
            return True
        wanted, below = self.scene.get(goal.target or ''), self.scene.get(spot.target or '')
        if wanted is None or wanted.name in self.spots:
            return None
        if spot.position is not None:
            beside = math.dist(spot.position, wanted.position[:2]) > max(wanted.size[:2])
            return False if beside and wanted.shape is not Shape.TABLE else None
        if below is None or below.name in self.spots:
            return None
        nested = is_inside(below, wanted) or is_inside(wanted, below)
        return None if nested else False


def spot_of(step: Step) -> Spot | None:
    """Where a placement leaves what is held; None when the step is no placement."""
    if step.skill in ON_TARGET and 'target' in step.args:
        return Spot(step.args['target'])
    if step.skill == 'place_at' and {'x', 'y'} <= set(step.args):
        return Spot(position=(step.args['x'], step.args['y']))
    return None


def forecast(steps: Iterable[Step], scene: Scene) -> Forecast:
    """What is certain after the steps, begun in the scene."""
    coming = Forecast(scene, scene.held)
    for step in steps:
        coming.take(step)
    return coming
