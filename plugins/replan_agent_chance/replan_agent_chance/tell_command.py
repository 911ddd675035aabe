# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent chance`: the plan of a task and how likely it works. Nothing moves."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress

from replan_agent.agent.loop import Agent
from replan_agent.agent.ports import Planner, Recorder
from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.app.terminal.exits import SUCCESS, TASK_FAILED
from replan_agent.app.terminal.streams import unfiltered
from replan_agent.domain.approval_request import Approval, ApprovalRequest
from replan_agent.domain.config import Config
from replan_agent.domain.context import Context
from replan_agent.domain.task_result import TaskResult
from replan_agent.text.shown_text import printable

from .chance import LIKELIEST, unknown
from .chance_rehearsal import ChanceRehearsal, ChanceTeller, what_is_unsure
from .covered import covered
from .likeliest import over_search
from .sampled_twin import Ran
from .sampling import MOST, checked_mark
from .uncertainty import AUTO


@dataclass
class Asked:
    """An approver that keeps the request and says no: a plan is looked at, nothing more."""

    name: str = 'chance'
    request: list[ApprovalRequest] = field(default_factory=list)

    def approve(self, request: ApprovalRequest, ctx: Context) -> Approval:
        self.request.append(request)
        return Approval(False, self.name, 'only its chance was asked for')

    def report_outcome(self, success: bool) -> None:
        """Nothing ran."""


class Foreseeing(Simulation):
    """A Simulation that refuses a plan whose first step is proved impossible."""

    def agent(self, recorder: Recorder, planner: Planner | None = None) -> Agent:
        agent = super().agent(recorder, planner)
        agent.rehearsal = ChanceRehearsal(None, agent.rehearsal, self.skills)
        return agent


def tell(arguments: argparse.Namespace) -> int:
    """Print the plan, its chance, that of each step, and why it fails."""
    most = arguments.twins or MOST
    mark = checked_mark(arguments.mark, '--mark', covered().prior, most)
    config = load_config(arguments.config)
    agent = replace(config.agent, chance=arguments.unsure or config.agent.chance or AUTO)
    config = replace(config, perception=arguments.perception or config.perception, agent=agent)
    what_is_unsure(config, '--unsure' if arguments.unsure else 'agent.chance')
    told: dict[str, Any] = {'task': arguments.task, 'seed': arguments.seed, 'plan': []}
    console = Console(file=unfiltered(sys.stderr))
    with Progress('{task.description}', BarColumn(), MofNCompleteColumn(), console=console,
                  transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task('the plan', total=None)

        def watched(ran: Iterable[Ran], most: int, what: str) -> Iterator[Ran]:
            progress.reset(bar, total=most, description=what)
            for one in ran:
                progress.advance(bar)
                yield one

        asked, result = _planned(arguments, config)
        if not asked:
            said = (f'it is done already, and nothing is to do: {result.final_detail}'
                    if result.success else
                    f'there is no plan: {result.why or result.final_detail}')
            told |= {**unknown(said).as_dict(), 'said': said}
            lines = [said]
        else:
            plan = replace(asked[0].plan, goals=result.goals)
            chance = ChanceTeller(config, mark, most, arguments.seed, arguments.jobs, True,
                                  watched).tell(plan, asked[0].scene)
            told |= {'plan': [step.as_dict() for step in plan.steps], **chance.as_dict()}
            lines = [f'plan:   {" → ".join(step.told for step in plan.steps)}',
                     f'chance: {chance.said}', *(f'  {step.said}' for step in chance.steps)]
    print(json.dumps(told, indent=2) if arguments.json else printable('\n'.join(lines)))
    return SUCCESS if asked or result.success else TASK_FAILED


def _planned(arguments: argparse.Namespace, config: Config
             ) -> tuple[list[ApprovalRequest], TaskResult]:
    """The request for the first plan, if there is one, and the result without it."""
    asked, planner = Asked(), None
    if config.planner == LIKELIEST:  # knows what is unsure, while nothing else tells a chance
        planner = over_search(config, what_is_unsure(config), arguments.seed)
    config = replace(config, agent=replace(config.agent, chance=''))
    with Foreseeing(arguments.scene, config=config, seed=arguments.seed, approver=asked,
                    planner=planner) as sim:
        return asked.request, sim.run(arguments.task)
