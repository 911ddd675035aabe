# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""One narrator: a story has the words of the console."""

from __future__ import annotations

import io

from replan_agent_export.run_story import told
from rich.console import Console

from replan_agent.app.terminal.console import ConsoleRecorder
from replan_agent.domain import event as events
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.skill import Reason, failed

PICK = Step(1, 'pick', {'object': 'cup'})
RUN = (events.PlanRequested('take the cup', 0, 0),
       events.PlanMade(Plan(1, 'take the cup', (PICK,), (), PlanCause.INITIAL, None, 's',
                            'search'), 0.1),
       events.StepStarted(0, 1, PICK), events.PhaseStarted(0, 'pick', 'take_up'),
       events.StepFinished(0, 1, PICK, failed(Reason.GRASP_MISSED, 'it closed to 0 mm'), 0.1),
       events.PolicyDecided(0, 'retry', 'grasp_missed', 'it slid away'),
       events.WarningRaised('it is dark'))


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
