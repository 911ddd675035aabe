# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the scripted model plans: the search planner answers, and a few rules read what failed.

It sees only the request, as any model does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.failure import Attempt, AttemptStage
from replan_agent.domain.goal import Goal
from replan_agent.domain.plan import PlanReply, PlanRequest, Proof, ReplyKind, Step
from replan_agent.domain.skill import REPLAN_STEP, Reason, failed, find_spec, skill_that
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.geometry.judging import judge, resting_on
from replan_agent.plan.model.prompts import ASK, DONE, GIVE_UP, SET_GOAL, SUGGEST_PLAN
from replan_agent.plan.search.actions import LOOK, Action, pick, put_down
from replan_agent.plan.search.search_planner import SearchPlanner

from .request_reader import VIEWPOINT, offered, read_request

Call = tuple[str, dict[str, Any]]

LOOK_AGAIN_AFTER = frozenset({'grasp_missed', 'grasp_slipped', 'verification_failed', 'timeout',
                              'stale_scene', 'controller_aborted'})
HOPELESS = frozenset({'unreachable', 'in_collision', 'path_blocked', 'workspace_violation',
                      'object_not_found', 'ambiguous_object'})
IN_THE_WAY = frozenset({'in_collision', 'path_blocked', 'target_occupied'})
_REASONS = frozenset(reason.value for reason in Reason)
NEAR_M = 0.08  # what stands this close to a point is in its way


def answer(body: Mapping[str, Any]) -> list[Call]:
    """The tool calls of a plan for the request: goal and steps, or why there are none."""
    request = with_hints(read_request(body))
    aside = _first_aside(request)
    if aside:
        return [*(_call(action, request) for action in aside), (REPLAN_STEP, {})]
    request = replace(request, proofs=tuple(_proofs(request)))
    hidden = replace(request, suggested_plan=None) if _is_guided(request) else request
    reply = _planned(hidden)
    if reply.reason is Reason.AMBIGUOUS_OBJECT and _may_ask(body) and not _hints(request):
        return [(ASK, {'question': reply.detail, 'candidates': []})]
    if reply.kind not in (ReplyKind.STEPS, ReplyKind.DONE):
        return [(GIVE_UP, {'reason': reply.detail})]
    calls = [*_goals(reply), *_suggested(reply, request, body)]
    if reply.kind is ReplyKind.DONE:
        return [*calls, (DONE, {})]
    last = request.prior_attempts[-1] if request.prior_attempts else None
    if last is not None and last.reason in LOOK_AGAIN_AFTER and LOOK.skill(
            request.scene, request.skills) is not None:
        calls.append(_call(LOOK, request))
    return [*calls, *(_as_call(step) for step in reply.steps)]


def with_hints(request: PlanRequest) -> PlanRequest:
    """The request with a person's last hint in place of the task, if the hint is a task."""
    hints = _hints(request)
    if not hints:
        return request
    told = replace(request, task=str(hints[-1]), context={**request.context, 'hints': ()})
    read = SearchPlanner(build_reader(request.context[VIEWPOINT])).plan(told, Context())
    return told if read.kind in (ReplyKind.STEPS, ReplyKind.DONE) else request


def _hints(request: PlanRequest) -> Sequence[str]:
    return tuple(request.context.get('hints', ()))


def _may_ask(body: Mapping[str, Any]) -> bool:
    """Whether the request offers a question as an answer."""
    return any(call['name'] == ASK for call in offered(body)) or (
        f'"{ASK}"' in str(body['messages'][0]['content']))


def _planned(request: PlanRequest) -> PlanReply:
    """The search planner's reply; about another object that fits if the first one is hopeless."""
    planner = SearchPlanner(build_reader(request.context[VIEWPOINT]))
    reply = planner.plan(request, Context())
    if reply.kind is not ReplyKind.EXHAUSTED:
        return reply
    hopeless = {value for proof in request.proofs for value in proof.step.args.values()}
    rest = tuple(o for o in request.scene.objects if o.name not in hopeless or not o.movable)
    other = planner.plan(replace(request, scene=replace(request.scene, objects=rest)), Context())
    differs = other.kind is ReplyKind.STEPS and other.goals != reply.goals
    return other if differs else reply


def _as_call(step: Step) -> Call:
    notes = {'description': step.description, 'expected_change': step.expected_change}
    return step.skill, {**step.args, **{key: text for key, text in notes.items() if text}}


def _call(action: Action, request: PlanRequest) -> Call:
    return _as_call(action.step(1, request.scene, request.skills))


def _goals(reply: PlanReply) -> list[Call]:
    entries = [_entry(goal) for goal in reply.goals]
    return [(SET_GOAL, {'goals': entries})] if entries and None not in entries else []


def _entry(goal: Goal) -> dict[str, Any] | None:
    """The goal in the form of `set_goal`; None if that form cannot say it."""
    if goal.targets is not None or (goal.things is not None and not goal.things.words):
        return None
    told = goal.without_meanings()
    entry = {key: value for key, value in told.items() if value is not None}
    if 'position' in entry:
        entry['x'], entry['y'] = entry.pop('position')
    return entry


def _suggested(reply: PlanReply, request: PlanRequest, body: Mapping[str, Any]) -> list[Call]:
    """The whole task in words with the first plan; only the rest of it after guidance."""
    named = {call['name'] for call in offered(body)}
    if reply.suggested_plan is None or SUGGEST_PLAN not in named:
        return []
    goals = [{'text': g.text, **({'done_when': entry} if (entry := g.goal and _entry(g.goal))
                                 else {})}
             for g in reply.suggested_plan.goals
             if not (_is_guided(request) and g.goal and judge(g.goal, request.scene))]
    return [(SUGGEST_PLAN, {'goals': goals})] if goals else []


def _is_guided(request: PlanRequest) -> bool:
    return bool(request.context.get('optimization_guidance'))


def _proofs(request: PlanRequest) -> list[Proof]:
    """What failed for good is not tried again, wherever things are by now."""
    return [Proof(Step(1, a.skill, a.args), request.scene,
                  failed(Reason(a.reason), a.reason_detail, cause=a.cause,
                         proved_impossible=True))
            for a in request.prior_attempts if a.stage is not AttemptStage.GOAL
            and (a.reason in HOPELESS and not a.evidence['passing']
                 or a.evidence['proved_impossible'])
            and a.reason in _REASONS and not _has_new_room(a, request)]


def _has_new_room(attempt: Attempt, request: PlanRequest) -> bool:
    """Whether something was moved out of its way, and the step was not tried since."""
    same = [a for a in request.prior_attempts
            if (a.skill, a.args) == (attempt.skill, attempt.args)]
    return len(same) == 1 and bool(_moved(request) & set(_blockers(attempt, request)))


def _moved(request: PlanRequest) -> set[str]:
    specs = ((done, find_spec(request.skills, done.step.skill)) for done in request.completed)
    return {str(spec.effect.name('object', done.step.args)) for done, spec in specs
            if spec is not None and spec.effect.takes}


def _first_aside(request: PlanRequest) -> list[Action]:
    """The actions that move away what the last failed step would have hit; once each."""
    last = request.prior_attempts[-1] if request.prior_attempts else None
    table = request.scene.table
    if last is None or last.reason not in IN_THE_WAY or table is None or skill_that(
            request.skills, EffectKind.TAKE) is None:
        return []
    tried = {value for a in request.prior_attempts for value in a.args.values()
             if isinstance(value, str)} | _moved(request)
    name = next((n for n in _blockers(last, request) if n not in tried), None)
    if name is None:
        return []
    held = [put_down(request.scene.held, table.name)] if request.scene.held else []
    return [*held, pick(name), put_down(name, table.name)]


def _blockers(attempt: Attempt, request: PlanRequest) -> Sequence[str]:
    """The movable objects in the way of a failed step."""
    scene, spec = request.scene, find_spec(request.skills, attempt.skill)
    names = list(attempt.blockers)
    if attempt.reason == 'target_occupied' and spec is not None:
        target, point = (scene.get(spec.effect.name('target', attempt.args) or ''),
                         spec.effect.point(attempt.args))
        names += [o.name for o in resting_on(target, scene)] if target and not (
            target is scene.table or target.is_container) else []
        names += [o.name for o in scene.objects
                  if point and math.dist(o.position[:2], point) < NEAR_M]
    return [o.name for o in scene.objects
            if o.name in names and o.movable and o.name != scene.held]
