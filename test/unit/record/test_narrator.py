"""One narrator: the same words at the console and later in `show`."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from replan_agent.agent.task_progress import State
from replan_agent.app.terminal.console import ConsoleRecorder
from replan_agent.domain import event as events
from replan_agent.domain.failure import Kind
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.skill import Reason, failed
from replan_agent.domain.task_result import FinalReason
from replan_agent.record.narrator import FINAL_WORDS, KIND_WORDS, PLAIN, STAGES, Narrator
from replan_agent.record.run_story import told

PICK = Step(1, 'pick', {'object': 'cup'})
RUN = (events.PlanRequested('take the cup', 0, 0),
       events.PlanMade(Plan(1, 'take the cup', (PICK,), (), PlanCause.INITIAL, None, 's',
                            'search'), 0.1),
       events.StepStarted(0, 1, PICK), events.PhaseStarted(0, 'pick', 'take_up'),
       events.StepFinished(0, 1, PICK, failed(Reason.GRASP_MISSED, 'it closed to 0 mm'), 0.1),
       events.PolicyDecided(0, 'retry', 'grasp_missed', 'it slid away'),
       events.WarningRaised('it is dark'))


def test_it_tells_only_of_events_that_exist() -> None:
    kinds = {kind.__new__(kind).kind for kind in events.Event.__subclasses__()}
    told_of = {name[4:] for name in dir(Narrator) if name.startswith('_on_')}
    assert told_of | set(PLAIN) <= kinds


def test_a_story_has_the_words_of_the_console() -> None:
    out = io.StringIO()
    console = ConsoleRecorder(Console(file=out, width=200))
    for event in RUN:
        console.record(event)
    live = [line.strip() for line in out.getvalue().splitlines()]
    story = told([{'event': event.kind, 'wall_s': 0.0, **event.as_dict()} for event in RUN])
    later = [line for one in story.moments for line in (one.title, *one.lines)]
    assert [line for line in live if line != 'take up'] == [
        line for line in later if line != 'plan 1 by search']


def test_who_reads_it_later_is_told_who_made_which_plan() -> None:
    plans = [Plan(n, 'take the cup', (PICK,), (), PlanCause.INITIAL, None, 's', who)
             for n, who in ((1, 'vlm'), (2, 'search'))]
    story = told([{'event': 'plan_made', **events.PlanMade(plan, 0.1).as_dict()}
                  for plan in plans])
    lines = [line for one in story.moments for line in (one.title, *one.lines)]
    assert 'plan 1 by vlm' in lines and 'plan 2 by search' in lines


def test_a_live_event_without_words_is_a_warning_and_a_stored_one_is_left_out(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events.WarningRaised, 'as_dict', lambda self: {})
    out = io.StringIO()
    ConsoleRecorder(Console(file=out, width=200)).record(events.WarningRaised('it is dark'))
    assert out.getvalue() == "WARNING: warning_raised cannot be told: KeyError: 'message'\n"
    assert told([{'event': 'warning_raised'}]).moments == ()


def test_every_ending_every_state_and_every_kind_of_failure_has_words() -> None:
    assert set(FINAL_WORDS) == set(FinalReason) and set(KIND_WORDS) == set(Kind)
    assert set(STAGES) == set(State) - {State.IDLE, State.SUCCEEDED, State.FAILED}


def test_what_is_no_text_is_told_as_text() -> None:
    (said,) = Narrator().said({'event': 'warning_raised', 'message': 5})
    assert said.line == 'WARNING: 5'
