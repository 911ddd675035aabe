# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A plan as the model's tool calls give it, before any check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from replan_agent.domain.chat import ToolCall
from replan_agent.domain.goal import Goal
from replan_agent.domain.kinds import ReadWord
from replan_agent.domain.plan import PlanProblem, PlanRequest, ReplyKind, Step
from replan_agent.domain.skill import REPLAN_STEP, Reason, find_spec
from replan_agent.domain.suggested_plan import SuggestedPlan
from replan_agent.text.shown_text import one_line

from .. import prompts
from ..goals import read_goals
from .model_suggestion import read_suggested_plan

NOT_ALONE = 'must be the only call, not one of several'


@dataclass(frozen=True)
class Draft:
    """The content of the calls, and the problems that the validation of steps does not find."""

    kind: ReplyKind
    steps: tuple[Step, ...] = ()
    goals: tuple[Goal, ...] = ()
    detail: str = ''
    problems: tuple[PlanProblem, ...] = ()
    goal_problems: tuple[PlanProblem, ...] = ()
    suggested_plan: SuggestedPlan | None = None
    remarks: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return self.kind is ReplyKind.STEPS and not self.steps


def read_calls(calls: Sequence[ToolCall], request: PlanRequest, read: ReadWord) -> Draft:
    """The draft that the calls describe. Any calls make one."""
    goals: tuple[Goal, ...] = ()
    goal_problems: tuple[PlanProblem, ...] = ()
    for call in calls:
        if call.name == prompts.SET_GOAL:
            more, wrong = read_goals(call.arguments, request.scene, read)
            goals, goal_problems = goals + more, goal_problems + wrong
    suggested_plan, remarks = _suggested(calls, request, read)
    acting = [call for call in calls if call.name not in (prompts.SET_GOAL, prompts.SUGGEST_PLAN)]
    acting, dropped = _up_to_replan(acting)
    remarks = (*remarks, *dropped)
    if len(acting) > 1 and acting[-1].name == prompts.DONE:
        acting.pop()  # a final "done" after steps only says what every plan hopes
    names = [call.name for call in acting]
    problems = tuple(PlanProblem(Reason.PRECONDITION_FAILED, f'{ending} {NOT_ALONE}')
                     for ending in (prompts.DONE, prompts.GIVE_UP, prompts.ASK)
                     if ending in names and len(acting) > 1)
    if names == [prompts.GIVE_UP]:
        return Draft(ReplyKind.GIVE_UP, detail=_reason(acting[0]))
    if names == [prompts.ASK]:
        return Draft(ReplyKind.ASK, detail=_question(acting[0]))
    if names == [prompts.DONE]:
        return Draft(ReplyKind.DONE, goals=goals, goal_problems=goal_problems,
                     detail='the model says that the task is done', suggested_plan=suggested_plan,
                     remarks=remarks)
    steps = tuple(_step(number, call, request) for number, call in enumerate(acting, 1))
    return Draft(ReplyKind.STEPS, steps, goals, '', problems, goal_problems, suggested_plan,
                 remarks)


def _up_to_replan(calls: list[ToolCall]) -> tuple[list[ToolCall], tuple[str, ...]]:
    """The calls up to the first `__replan__`, and a remark if that was not the last one."""
    names = [call.name for call in calls]
    end = names.index(REPLAN_STEP) + 1 if REPLAN_STEP in names else len(names)
    if end == len(names):
        return calls, ()
    return calls[:end], (f'dropped after {REPLAN_STEP}, because the rest is planned after another '
                         f'look: {one_line(", ".join(names[end:]), prompts.LONGEST)}',)


def _suggested(calls: Sequence[ToolCall], request: PlanRequest, read: ReadWord
               ) -> tuple[SuggestedPlan | None, tuple[str, ...]]:
    """The last suggested plan counts."""
    call = next((c for c in reversed(calls) if c.name == prompts.SUGGEST_PLAN), None)
    return read_suggested_plan(call.arguments, request, read) if call else (None, ())


def _step(number: int, call: ToolCall, request: PlanRequest) -> Step:
    args = dict(call.arguments)
    spec = find_spec(request.skills, call.name)
    own_words = () if spec is None and call.name != REPLAN_STEP else (
        prompts.note_schemas(spec) if spec else prompts.NOTES)
    notes = {name: args.pop(name) for name in own_words if name in args}
    if call.name == REPLAN_STEP:
        args = {}
        notes.setdefault('description', 'Look again and plan the rest')
    return Step(number, call.name, args, notes.get('description', ''),
                notes.get('expected_change', ''))


def _question(call: ToolCall) -> str:
    """The model's question with what it may mean, for a person."""
    asked, given = call.arguments.get('question'), call.arguments.get('candidates')
    question = one_line(asked, prompts.LONGEST) if isinstance(asked, str) and asked.strip() else (
        'the model asks what is meant')
    choices = [one_line(c, prompts.LONGEST) for c in (given if isinstance(given, list) else ())
               if isinstance(c, str) and c.strip()][:prompts.MOST_CANDIDATES]
    return f'{question} It may mean: {"; ".join(choices)}' if choices else question


def _reason(call: ToolCall) -> str:
    reason = call.arguments.get('reason')
    if not isinstance(reason, str) or not reason.strip():
        return 'the model gave up without a reason'
    return ' '.join(reason.split())[:prompts.LONGEST]
