"""Which class goes in which message, and what is not the same in both, field by field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import eq, is_
from typing import Any

from replan_agent_interfaces import msg as ros
from replan_agent_interfaces.action import ExecuteTask, MakePlan
from std_msgs.msg import Header

from replan_agent.agent.task_progress import Progress
from replan_agent.arms.known_arms import told_arm
from replan_agent.domain import plan as plans
from replan_agent.domain.failure import Attempt, Diagnosis
from replan_agent.domain.goal import Goal
from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.ik_report import IKReport
from replan_agent.domain.kinds import Word
from replan_agent.domain.piece import Piece
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, States
from replan_agent.domain.skill import SkillResult, SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.domain.suggested_plan import SuggestedGoal, SuggestedPlan
from replan_agent.domain.task_result import StepRecord, TaskResult
from replan_agent.domain.things import Things
from replan_agent.text.plain_values import plain, read

from . import message_fields as fields
from .error_codes import PLAN_CODES, task_code
from .message_walk import Sent, Walker, Ways
from .task_order import TaskOrder, budgets_from_msg, budgets_to_msg


class _Last:
    """A conversion that keeps its last value for an argument that is the same."""

    def __init__(self, convert: Callable[[Any], Any], same: Callable[[Any, Any], bool]) -> None:
        self._convert, self._same = convert, same
        self._last: tuple[Any, Any] | None = None

    def __call__(self, given: Any) -> Any:
        last = self._last
        if last is None or not self._same(given, last[0]):
            self._last = last = (given, self._convert(given))
        return last[1]


# Every task asks for the skills, and every plan request has them: they hardly ever change.
specs_to_msgs = _Last(lambda specs: list(map(WALKER.to_msg, specs)), is_)
specs_from_msgs = _Last(lambda msgs: tuple(WALKER.from_msg(SkillSpec, msg) for msg in msgs), eq)


def _wrong_scene(msg: ros.Scene) -> str:
    names = [thing.name for thing in msg.objects]
    twice = sorted({name for name in names if names.count(name) > 1})
    return f'more than one object is called {twice[0]!r}' if twice else ''


def _effect_from_msg(msg: ros.SkillSpec) -> Effect:
    kind = read(EffectKind, msg.effect, 'effect')
    place = 'effect_roles_json'
    roles = read(Mapping[str, str], fields.map_from_msg(msg.effect_roles_json, place), place)
    try:
        return Effect(kind, **roles)
    except (TypeError, ValueError) as error:
        raise fields.MessageError(f'{place}: {error}') from error


def _task_fields(result: TaskResult) -> dict[str, Any]:
    return {'timings': [ros.StageTime(stage=stage, duration=fields.duration_to_msg(seconds))
                        for stage, seconds in result.timings.items()],
            'recovery_json': fields.map_to_msg(plain({
                'approvals': result.approvals, 'reflections': result.reflections,
                'proofs': result.proofs, 'local_planning': result.local,
                'suggested_plan': result.suggested_plan})),
            'error_code': task_code(result),
            'error_msg': '' if result.success else result.final_detail}


def _reply_fields(reply: plans.PlanReply) -> dict[str, Any]:
    code = PLAN_CODES[reply.kind]
    return {'error_code': code, 'error_msg': (reply.detail or reply.kind.value) if code else ''}


SAME: tuple[Any, ...] = (
    Piece, States, ArmSnapshot, Word, IKReport, Diagnosis, Attempt, SkillResult, SuggestedGoal,
    plans.CompletedStep, plans.Adaptation, plans.Plan, plans.Proof)
KINDS: Mapping[type, Sent] = {cls: Sent(getattr(ros, cls.__name__)) for cls in SAME} | {
    SceneObject: Sent(ros.SceneObject, 'object {0.name!r}', check=lambda msg: (
        '' if msg.name else 'name must not be empty')),
    Scene: Sent(
        ros.Scene, 'scene {0.scene_id!r}', check=_wrong_scene,
        unsent='hand',  # who receives a scene sets it: `with_hand`
        write=lambda scene: {
            'header': Header(stamp=fields.time_to_msg(scene.stamp), frame_id=scene.frame)},
        read={'stamp': lambda msg: fields.time_from_msg(msg.header.stamp),
              'frame': lambda msg: msg.header.frame_id}),
    Goal: Sent(ros.GoalCondition, 'goal'),
    Things: Sent(
        ros.Things, write=lambda things: {
            'words': [word.text for word in things.words],
            'meanings': list(map(WALKER.to_msg, things.words))},
        read={'words': lambda msg: tuple(
            [WALKER.from_msg(Word, one) for one in msg.meanings] or map(Word.plain, msg.words))}),
    plans.Step: Sent(ros.Step, check=lambda msg: (
        '' if msg.skill else 'skill must not be empty')),
    SkillSpec: Sent(
        ros.SkillSpec, 'skill {0.name!r}', write=lambda spec: {
            'effect': spec.effect.kind.value,
            'effect_roles_json': fields.map_to_msg(spec.effect.roles()),
            'stands_still': not spec.moves_arm, 'most_strokes': spec.most_strokes},
        read={
            'effect': _effect_from_msg, 'moves_arm': lambda msg: not msg.stands_still,
            'most_strokes': lambda msg: max(1, msg.most_strokes)}),
    StepRecord: Sent(ros.StepRecord, renamed={'duration_s': 'duration'}),
    plans.PlanRequest: Sent(MakePlan.Goal, 'plan request'),
    plans.PlanReply: Sent(MakePlan.Result, 'plan reply', write=_reply_fields),
    TaskOrder: Sent(
        ExecuteTask.Goal, 'goal', write=lambda order: budgets_to_msg(order.budgets),
        read={'budgets': budgets_from_msg},
        check=lambda msg: '' if msg.task.strip() else 'task must not be empty'),
    Progress: Sent(ExecuteTask.Feedback, 'feedback'),
    TaskResult: Sent(  # most of what is not sent is in recovery_json, for people to read
        ExecuteTask.Result, 'task result', write=_task_fields,
        read={'timings': lambda msg: {spent.stage: fields.time_from_msg(spent.duration)
                                      for spent in msg.timings}},
        unsent='reflections local suggested_plan approvals proofs undone threshold denied'),
}

FORMS: Mapping[Any, Ways] = {
    bool | None: Ways(fields.ternary_to_msg, fields.ternary_from_msg),
    tuple[SkillSpec, ...]: Ways(specs_to_msgs, lambda msgs, _: specs_from_msgs(msgs)),
    SuggestedPlan | None: Ways(
        lambda plan: list(map(WALKER.to_msg, plan.goals)) if plan else [],
        lambda msgs, _: SuggestedPlan(tuple(
            WALKER.from_msg(SuggestedGoal, msg) for msg in msgs)) if msgs else None),
}

WALKER: Walker = Walker(KINDS, FORMS)
to_msg, from_msg = WALKER.to_msg, WALKER.from_msg


def with_hand(scene: Scene, hand: HandShape | None = None, arm_model: str = '') -> Scene:
    """A scene that was received, with the hand of our arm.

    A client that does not know its arm is told it, or finds it by the frame of the scene.
    """
    arm = told_arm(arm_model, scene.frame) if hand is None else None
    return replace(scene, hand=arm.hand if arm else hand)
