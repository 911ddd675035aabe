"""ASK: when plan after plan fails, a person is asked, with the arm in a safe state."""

from __future__ import annotations

from replan_agent.domain import event as events
from replan_agent.domain.outcome import FinalReason
from replan_agent.domain.plan import PlanCause, Step

from .approval import approve
from .episode import Ended, Episode
from .execution import execute_once
from .look import look
from .states import State


def ask_human(ep: Episode) -> None:
    """Wait for a hint, which goes into the next plan; without one the task ends."""
    config = ep.agent.config
    failures = ep.agent.streak.count
    _secure(ep)
    ep.enter(State.HUMAN_REQUIRED)
    question = f'{failures} plans in a row failed; the last: {ep.last_failure()}'
    held = ep.current_scene.held or ''
    ep.record(events.HumanAsked(question, held))
    person = ep.agent.human
    hint = person.hint(question, ep.ctx.within(config.human_timeout)) if person else None
    if not hint:
        ep.ctx.check()
        raise Ended(FinalReason.HUMAN_REQUIRED,
                    question + (f'; still holding {held}' if held else ''))
    ep.record(events.HumanAnswered(hint))
    ep.hints.append(hint)
    ep.agent.streak.count = 0
    ep.replans = ep.total_replans = 0  # a person's hint is a new start


def _secure(ep: Episode) -> None:
    """Put down what is held, when the settings ask for that and there is a table."""
    scene = ep.current_scene
    if ep.agent.config.human_held != 'put_down' or scene.held is None or scene.table is None:
        return
    step = Step(1, 'place_on', {'target': scene.table.name},
                f'Put the {scene.held} down on the {scene.table.name}')
    plan = ep.next_plan((step,), (), PlanCause.HUMAN, 'agent', 'put down before asking a person')
    ep.record(events.PlanMade(plan, 0.0))
    approve(ep, plan)
    execute_once(ep, plan, step, 0)
    look(ep)
