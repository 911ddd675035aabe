# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tasks that are written as calls of skills: `hover(object="eraser"); home()`.

So a skill that no sentence means can be used from wherever a task is typed. The agent checks the
calls against the schemas of the skills, as it checks every plan.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Sequence
from typing import Any

from replan_agent.domain.plan import CompletedStep, PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.skill import SkillSpec, find_spec
from replan_agent.text.shown_text import shown

_BETWEEN = re.compile(r'(?<=\))\s*(?:[;,\n.]|->)?\s*(?:and then|then|and)?\s*(?=[A-Za-z_]\w*\()')
_CALL = re.compile(r'(?P<name>[A-Za-z_]\w*)\(.*\)', re.DOTALL)


class NotACall(ValueError):
    """A call that cannot be read. The message says which one and why."""


def written_steps(task: str, skills: Sequence[SkillSpec]) -> tuple[Step, ...]:
    """The steps of a task that is nothing but calls of these skills; else empty.

    Raises NotACall.
    """
    parts = _BETWEEN.split(task.strip().rstrip(';.'))
    found = [_CALL.fullmatch(part.strip()) for part in parts]
    if not all(match and find_spec(skills, match['name']) for match in found):
        return ()
    return tuple(_step(number, match[0]) for number, match in enumerate(found, 1) if match)


def reply_to_calls(request: PlanRequest) -> PlanReply | None:
    """The written steps that are not done yet; None if the task is not written so.

    A step that failed is not tried in another way. What failed in an earlier run is tried again.
    """
    try:
        steps = written_steps(request.task, request.skills)
    except NotACall as error:
        return PlanReply(ReplyKind.UNRECOGNIZED, detail=str(error))
    if not steps:
        return None
    done = _how_many_done(steps, request.completed)
    if done == len(steps):
        return PlanReply(ReplyKind.DONE, detail='nothing is left to do')
    if request.replan and request.prior_attempts:
        last = request.prior_attempts[-1]
        return PlanReply(ReplyKind.GIVE_UP, detail='the steps of the task failed: '
                                                   f'{last.reason} — {last.reason_detail}')
    return PlanReply(ReplyKind.STEPS, steps[done:])


def _step(number: int, text: str) -> Step:
    try:
        call = ast.parse(text, mode='eval').body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError(text)
        values = {str(k.arg): _value(k.value) for k in call.keywords}
        said = tokenize.generate_tokens(io.StringIO(text).readline)
        comments = [token.string for token in said if token.type == tokenize.COMMENT]
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise NotACall(f'did not understand {shown(text)}: a value is a number, a name, a text in '
                       'quotes, True, False or a list of these: pick(object=red_cube)') from None
    if comments:
        raise NotACall(f'did not understand {shown(comments[0])} in {shown(text)}: write calls '
                       'only')
    if call.args or not all(keyword.arg for keyword in call.keywords):
        raise NotACall(f'did not understand {shown(text)}: name each argument, as in '
                       'pick(object="red_cube")')
    if len(values) < len(call.keywords):
        raise NotACall(f'did not understand {shown(text)}: it gives one argument twice')
    return Step(number, call.func.id, values)


def _value(node: ast.expr) -> Any:
    """A bare name is a text, as in the plans that we print: pick(object=red_cube)."""
    return node.id if isinstance(node, ast.Name) else ast.literal_eval(node)


def _how_many_done(steps: Sequence[Step], completed: Sequence[CompletedStep]) -> int:
    """How many of the first steps are done. The agent's own steps between them do not count."""
    done = 0
    for each in completed:
        if done < len(steps) and (each.step.skill, dict(each.step.args)) == (
                steps[done].skill, dict(steps[done].args)):
            done += 1
    return done
