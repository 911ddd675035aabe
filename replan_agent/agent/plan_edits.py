"""Changes that a person wants in a plan and that the agent can make itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from replan_agent.domain import event as events
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.skill import SkillSpec, find_spec
from replan_agent.domain.task_result import FinalReason

from .episode import Edited, Ended, Episode
from .planning import refuse
from .validity import listed, problems_with

_DROP = re.compile(r'\b(?:without|skip|drop|remove|omit|leave out|not?)\s+(?:the\s+)?steps?\s+'
                   r'(\d{1,6}(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)\d{1,6})*)')
_SLOWER = re.compile(r'\b(?:more slowly|slower|slowly|slow)\b')
_FILLER = re.compile(r'\b(?:and|but|please|do|it|run|go|then|just)\b|[\s,.;!]+')
SLOWER = 0.5  # of the speed before


def plan_as_wished(ep: Episode, edited: Edited) -> Plan | None:
    """The plan with the person's change, to be approved; None if the planner must make it.

    Ends the task if the planner has made the same plan again, although it knew the wish.
    """
    calls = edited.plan.calls
    steps = edited_steps(edited.plan.steps, edited.wish, ep.ports.skills.specs())
    if steps is not None:
        plan = ep.next_plan(steps, edited.plan.goals, PlanCause.HUMAN,
                            f'a person said: {edited.wish}')
        ep.record(events.PlanMade(plan, 0.0))
        problems = problems_with(ep, plan)
        if not problems:
            return plan
        refuse(ep, problems[0].reason.value, listed(problems))
    if calls in ep.asked_to_change:
        why = f'; {ep.last_failure()}' if ep.attempts else ''
        raise Ended(FinalReason.APPROVAL_DENIED, f'a person said {edited.wish!r}, and the planner '
                                                 f'made the same plan again{why}')
    ep.asked_to_change.add(calls)
    return None


def edited_steps(steps: tuple[Step, ...], wish: str, specs: Iterable[SkillSpec]
                 ) -> tuple[Step, ...] | None:
    """The steps as wished: without some of them, or slower. None if the wish is another one."""
    text = wish.lower()
    dropped = {int(n) for found in _DROP.findall(text) for n in re.findall(r'\d+', found)}
    rest = _DROP.sub(' ', text)
    slower = _SLOWER.search(rest) is not None
    if _FILLER.sub('', _SLOWER.sub(' ', rest)) or not dropped <= {s.step_number for s in steps}:
        return None
    kept = tuple(step for step in steps if step.step_number not in dropped)
    changed = _slowed(kept, tuple(specs)) if slower else kept
    if not changed or (slower and changed == kept) or changed == steps:
        return None
    return tuple(replace(step, step_number=n) for n, step in enumerate(changed, 1))


def _slowed(steps: tuple[Step, ...], specs: tuple[SkillSpec, ...]) -> tuple[Step, ...]:
    """The steps at a lower speed, where the skill has one."""
    slowed = []
    for step in steps:
        spec = find_spec(specs, step.skill)
        name = spec.effect.speed if spec else ''
        if spec is not None and name:
            schema = spec.argument_schema(name)
            speed = step.args.get(name, schema.get('default', 1))
            speed = max(schema.get('minimum', 0.0), speed * SLOWER)
            step = replace(step, args={**step.args, name: speed})
        slowed.append(step)
    return tuple(slowed)
