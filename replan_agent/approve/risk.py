# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How risky a plan is: rules that find critical steps, each with its weight in the settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from replan_agent.domain.approval_request import ApprovalRequest
from replan_agent.domain.config import Config
from replan_agent.domain.failure import AttemptStage
from replan_agent.domain.kinds import matches
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import find_spec
from replan_agent.geometry.keep_out import keep_out_zones, person_areas
from replan_agent.geometry.steps.slide import slide_in

from .gripper_path import gripper_paths, nearest


@dataclass(frozen=True)
class Finding:
    """Something that makes a plan risky; it counts `times`."""

    text: str
    times: int = 1


@dataclass(frozen=True)
class Risk:
    """0 (none) to 1, and what it is made of, the weightiest first."""

    score: float
    reasons: tuple[str, ...] = ()


class PlanRisk:
    """Weighs plans by the rules. Raises ConfigError when an area in the settings is wrong."""

    def __init__(self, config: Config, home_tcp: Sequence[float]) -> None:
        approval = config.approval
        keep_out, people = keep_out_zones(config.workspace), person_areas(approval)
        self._rules: tuple[tuple[float, Callable[[ApprovalRequest], Iterator[Finding]]], ...] = (
            (approval.person_risk, lambda request: near(request, people, approval.margin,
                                                        home_tcp)),
            (approval.collision_risk, after_collision),
            (approval.keep_out_risk, lambda request: near(request, keep_out, approval.margin,
                                                         home_tcp)),
            (approval.fragile_risk, lambda request: handled(request, approval.fragile, 'fragile')),
            (approval.heavy_risk, lambda request: handled(request, approval.heavy, 'heavy')),
            (approval.speed_risk, lambda request: fast(
                request, config.motion.max_velocity_scaling_factor, approval.speed_limit)),
            (approval.failure_risk, after_failures),
        )

    def assess(self, request: ApprovalRequest) -> Risk:
        """The risk of a plan that is to run in this scene, after these attempts."""
        if not _moving(request):
            return Risk(0.0, ('nothing moves',))
        found = [(1 - (1 - weight) ** finding.times, finding.text)
                 for weight, rule in self._rules if weight > 0 for finding in rule(request)]
        found.sort(key=lambda item: -item[0])
        score = 1 - math.prod(1 - weight for weight, _ in found)
        return Risk(round(score, 3), tuple(f'{text} (+{weight:.2f})' for weight, text in found))


def near(request: ApprovalRequest, zones: Sequence[SceneObject], margin_m: float,
         home_tcp: Sequence[float]) -> Iterator[Finding]:
    """For each zone the step that comes closest to it, if that is too close.

    A step that may lead anywhere counts for every zone.
    """
    ways = gripper_paths(request.plan, request.scene, request.skills, home_tcp)
    anywhere = next((step for step, way in ways if way is None), None)
    known = [(step, way) for step, way in ways if way is not None]
    for zone in zones:
        if anywhere is not None:
            yield Finding(f'step {anywhere.step_number} {anywhere.skill} does not say where the '
                          f'arm goes, and may enter {zone.name}')
            continue
        closest = min(((nearest(zone, way), step) for step, way in known),
                      key=lambda item: item[0], default=None)
        if closest is not None and closest[0] < margin_m:
            distance, step = closest
            yield Finding(f'step {step.step_number} {step.skill} comes within {distance:.2f} m '
                          f'of {zone.name}')


def handled(request: ApprovalRequest, patterns: Sequence[str], what: str) -> Iterator[Finding]:
    """Each object of such a name, with the first step that handles it."""
    seen = set()
    for step, name in _handled(request):
        if matches(name, patterns) and name not in seen:
            seen.add(name)
            yield Finding(f'step {step.step_number} {step.skill} handles {name}, which is {what}')


def fast(request: ApprovalRequest, configured: float, limit: float) -> Iterator[Finding]:
    """The fastest step, if it is too fast; a step may ask for a share of the configured speed."""
    def speed(step: Step) -> float:
        spec = find_spec(request.skills, step.skill)
        share = spec.effect.value('speed', step.args) if spec else None
        return configured * (share if isinstance(share, (int, float)) else 1.0)

    fastest = max(_moving(request), key=speed)
    if speed(fastest) > limit:
        yield Finding(f'step {fastest.step_number} {fastest.skill} moves at {speed(fastest):g} '
                      f'of the velocity limit, more than {limit:g}')


def after_collision(request: ApprovalRequest) -> Iterator[Finding]:
    """An earlier attempt of this task touched something that it should not have."""
    collided = [attempt for attempt in request.attempts if attempt.touched]
    if collided:
        yield Finding(f'the arm moves after a collision: {collided[-1].reason_detail}')


def after_failures(request: ApprovalRequest) -> Iterator[Finding]:
    """Steps failed before in this task."""
    tried = [a for a in request.attempts if a.stage is AttemptStage.EXECUTE]
    if tried:
        yield Finding(f'{len(tried)} attempt{"s" * (len(tried) > 1)} failed before', len(tried))


def _handled(request: ApprovalRequest) -> Iterator[tuple[Step, str]]:
    """What the gripper holds already, then the objects that each step names in any argument, and
    those that it pushes along.
    """
    scene = request.scene
    for step in _moving(request):
        if scene.held is not None:
            yield step, scene.held
        for value in step.args.values():
            thing = scene.get(value) if isinstance(value, str) else None
            if thing is not None:
                yield step, thing.name
        spec = find_spec(request.skills, step.skill)
        slide = slide_in(scene, spec, step.args) if spec is not None else None
        if slide is not None:
            yield from ((step, other.name) for other in slide.pushed_along(scene.movable()))


def _moving(request: ApprovalRequest) -> list[Step]:
    """The steps that move the arm; one whose skill is not known may."""
    still = {spec.name for spec in request.skills if not spec.moves_arm}
    return [s for s in request.plan.steps if not s.is_replan and s.skill not in still]
