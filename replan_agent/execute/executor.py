# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs steps: finds the skill, checks its arguments, then check → run → verify."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from jsonschema.validators import validator_for

from replan_agent.agent.ports import Perception, PhaseCallback
from replan_agent.domain.context import BudgetExhausted, Cancelled, Context, DeadlineExceeded
from replan_agent.domain.hand import CLOSED_M
from replan_agent.domain.plan import Step
from replan_agent.domain.port_errors import PartFailed
from replan_agent.domain.robot_state import RobotState
from replan_agent.domain.scene import Scene, was_felt
from replan_agent.domain.skill import (
    FELT,
    UNCHECKED,
    FailedStage,
    Reason,
    SkillResult,
    SkillSpec,
    succeeded,
)
from replan_agent.geometry.steps.forecast import Forecast

from .arm import hold, look_at_rest
from .contract import Call, Skill, Toolkit, precondition
from .registry import Registry
from .wrapped_robot import ObedientRobot, WrappedRobot

MOST_LOOKS_AGAIN = 2
CAREFUL = 0.3  # share of the speed
BETWEEN_LOOKS_S = 0.2  # robot time


class SkillExecutor:
    """The Skills port over a registry and a toolkit."""

    def __init__(self, registry: Registry, kit: Toolkit) -> None:
        self._registry = registry
        self._kit = kit

    def specs(self) -> tuple[SkillSpec, ...]:
        return self._registry.specs()

    def stop(self) -> None:
        self._kit.robot.stop()

    def foresee(self, step: Step, scene: Scene, ctx: Context) -> SkillResult:
        """Whether the step is possible in that scene. It is checked and planned; nothing moves."""
        skill = self._found(step)
        if isinstance(skill, SkillResult):
            return skill
        call = Call(step.args, scene, self._kit, ctx, lambda phase: None)
        return (_missing_object(skill, call) or _outside(skill, call) or _unfit(skill, call)
                or _refused(skill, call) or _result(skill, 'foresee', skill.foresee(call)))

    def execute(self, step: Step, scene: Scene, ctx: Context,
                on_phase: PhaseCallback) -> SkillResult:
        if step.is_replan:  # the loop handles it; here it does nothing
            return succeeded('__replan__ is not a skill: nothing was done')
        skill = self._found(step)
        if isinstance(skill, SkillResult):
            return skill
        kit = replace(self._kit, robot=ObedientRobot(self._kit.robot, ctx))
        missing = _missing_object(skill, Call(step.args, scene, kit, ctx, on_phase))
        if missing is not None:  # also without a joint state
            return missing
        state, hand = kit.robot.state(), kit.hand
        hand.belief = hand.belief.felt(state.gripper_width, state.stamp)
        known = hand.belief.told_in(scene)
        if skill.spec.needs_held and known.held != scene.held and known.held is not None:
            return precondition(f'the hand holds {known.held}, and the scene does not show how: '
                                'look first', Reason.STALE_SCENE)
        result = self._check_run_verify(skill, Call(
            _careful(skill, step.args, scene), known, kit, ctx, on_phase))
        unseen = known.held if known.held != scene.held else None
        return result if result.success or not unseen else replace(
            result, evidence={**result.evidence, FELT: unseen})

    def _found(self, step: Step) -> Skill | SkillResult:
        """The step's skill, or a failure if it cannot be called with these arguments."""
        skill = self._registry.get(step.skill)
        if skill is None:
            return precondition(f'no skill named {step.skill!r}; there are: '
                                f'{", ".join(self._registry.names())}', Reason.UNKNOWN_SKILL)
        problem = _argument_problem(skill, step)
        return precondition(problem, Reason.BAD_ARGUMENTS) if problem else skill

    @staticmethod
    def _check_run_verify(skill: Skill, call: Call) -> SkillResult:
        refused = (_missing_object(skill, call) or _unseen_object(skill, call)
                   or _outside(skill, call) or _unfit(skill, call) or _refused(skill, call))
        if refused is not None:
            return refused
        result = _result(skill, 'run', skill.run(call))
        hand, robot = call.kit.hand, call.kit.robot
        hand.belief = hand.belief.after(skill.spec, call.args, result, robot.state())
        if not result.success:
            if result.stage is FailedStage.EXECUTION and result.reason not in (
                    Reason.STOPPED, Reason.WORKSPACE_VIOLATION):  # the second moved nothing
                # What was touched may still move: the agent looks when it rests.
                with contextlib.suppress(Cancelled, DeadlineExceeded, BudgetExhausted):
                    look_at_rest(replace(call, on_phase=lambda phase: None))
            return result
        call = replace(call, measured=result.evidence)
        verified = _verified(skill, call)
        hand.belief = hand.belief.after(skill.spec, call.args, verified, robot.state())
        return replace(verified, evidence={**result.evidence, **verified.evidence})


def _careful(skill: Skill, args: Mapping[str, Any], scene: Scene) -> Mapping[str, Any]:
    """The arguments, slower where something is that was felt and is not seen."""
    speed = skill.spec.effect.roles().get('speed')
    if speed is None or not any(map(was_felt, scene.names())):
        return args
    return {**args, speed: min(args.get(speed, 1.0), CAREFUL)}


def _verified(skill: Skill, call: Call) -> SkillResult:
    """What the skill's check of its result says.

    A look that contradicts the step may itself be wrong: a hand in front of the camera, a name
    mixed up. So there is another one, and two if the object was not seen at all.
    """
    watch = Watch(call)
    result = _result(skill, 'verify', skill.verify(watch.watched))
    if result.success and not watch.looked:
        return replace(result, evidence={**result.evidence, UNCHECKED: True}, reason_detail=(
            result.reason_detail or 'its own check looked at nothing'))
    for looks in range(MOST_LOOKS_AGAIN):
        if not _may_be_the_look(result, call) or (looks and result.evidence.get('seen', True)):
            break
        waited = hold(call, BETWEEN_LOOKS_S)
        if not waited.success:
            return waited
        result = _result(skill, 'verify', skill.verify(call))
    return result


def _may_be_the_look(result: SkillResult, call: Call) -> bool:
    """Whether only a look says that the step failed. Closed fingers need no second look."""
    by_look = result.reason in (Reason.VERIFICATION_FAILED, Reason.GRASP_SLIPPED)
    felt = (result.reason is Reason.GRASP_SLIPPED
            and call.kit.robot.state().gripper_width <= CLOSED_M)
    return (by_look and not felt and result.stage is FailedStage.POSTCONDITION
            and not call.kit.perception.uses_model)


def _refused(skill: Skill, call: Call) -> SkillResult | None:
    """The failure that the skill's own check found; a success refuses nothing."""
    found = skill.check(call)
    if found is None or _result(skill, 'check', found, 'None or a SkillResult').success:
        return None
    return found


def _result(skill: Skill, method: str, returned: object,
            wanted: str = 'a SkillResult') -> SkillResult:
    """What the skill's method returned. Raises PartFailed if it is not a SkillResult."""
    if not isinstance(returned, SkillResult):
        raise PartFailed.by_return(f'skill {skill.spec.name!r}: {method}', wanted, returned)
    return returned


def _argument_problem(skill: Skill, step: Step) -> str:
    schema = dict(skill.spec.arguments)
    errors = validator_for(schema)(schema).iter_errors(dict(step.args))
    return '; '.join(f'{step.skill}: {error.message}' for error in errors)


def _named(skill: Skill, call: Call) -> list[str]:
    """The objects that the call names."""
    return [call.args[name] for name in skill.spec.object_arguments if name in call.args]


def _outside(skill: Skill, call: Call) -> SkillResult | None:
    """A failure if the skill works at a point outside the workspace."""
    box, point = call.kit.workspace, skill.spec.effect.point(call.args)
    if point is None or (box.x_min <= point[0] <= box.x_max
                         and box.y_min <= point[1] <= box.y_max):
        return None
    return precondition(f'({point[0]}, {point[1]}) is outside the workspace: '
                        f'x {box.x_min} to {box.x_max} m, y {box.y_min} to {box.y_max} m',
                        Reason.WORKSPACE_VIOLATION)


def _unfit(skill: Skill, call: Call) -> SkillResult | None:
    """A failure if the gripper or an object is not as the skill needs it."""
    now = Forecast(call.scene, call.scene.held)
    objection = next(now.objections(skill.spec, call.args), None)
    return precondition(objection) if objection else None


def _missing_object(skill: Skill, call: Call) -> SkillResult | None:
    for name in _named(skill, call):
        if call.scene.get(name) is None:
            seen = ', '.join(call.scene.names()) or 'nothing'
            return precondition(f'{call.scene.perception} perception sees no {name!r}; '
                                f'it sees: {seen}', Reason.OBJECT_NOT_FOUND)
    return None


def _unseen_object(skill: Skill, call: Call) -> SkillResult | None:
    """A failure if an object that the motion depends on was not seen recently."""
    names = _named(skill, call)
    if skill.spec.needs_held and call.scene.held is not None:
        names.append(call.scene.held)
    limit, now = call.kit.memory_config.max_object_age_s, call.kit.robot.state().stamp
    for thing in filter(None, map(call.scene.get, names)):
        age = now - thing.seen_at
        if age > limit:
            return precondition(f'{thing.name} was last seen {age:.1f}s ago, longer than '
                                f'max_object_age_s={limit:g}: look first', Reason.STALE_SCENE,
                                age_s=age)
    return None


@dataclass
class Watch:
    """A call for `verify`, and whether anything was looked at through it."""

    call: Call
    looked: bool = False
    watched: Call = field(init=False)

    def __post_init__(self) -> None:
        kit = replace(self.call.kit, robot=_Robot(self.call.kit.robot, self),
                      perception=cast(Perception, _Perception(self.call.kit.perception, self)))
        self.watched = replace(self.call, kit=kit, measured=_Measured(self.call.measured, self))


@dataclass(frozen=True)
class _Robot(WrappedRobot):
    watch: Watch

    def state(self) -> RobotState:
        self.watch.looked = True
        return self.robot.state()


class _Perception:
    """Any use of the perception is a look."""

    def __init__(self, perception: Perception, watch: Watch) -> None:
        self._perception, self._watch = perception, watch

    def __getattr__(self, name: str) -> Any:
        self._watch.looked = True
        return getattr(self._perception, name)


class _Measured(Mapping[str, Any]):
    """What `run` measured."""

    def __init__(self, measured: Mapping[str, Any], watch: Watch) -> None:
        self._measured, self._watch = measured, watch

    def __getitem__(self, key: str) -> Any:
        self._watch.looked = True
        return self._measured[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._measured)

    def __len__(self) -> int:
        return len(self._measured)
