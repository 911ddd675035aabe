# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent chance`: the plan of a task and how likely it works. Nothing moves."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, field, replace
from typing import Any

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.app.terminal.exits import SUCCESS, TASK_FAILED
from replan_agent.domain.approval_request import Approval, ApprovalRequest
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Context
from replan_agent.text.shown_text import printable

from .chance import LIKELIEST, unknown
from .chance_rehearsal import AUTO, ChanceTeller, what_is_unsure
from .likeliest import over_search
from .sampling import MOST


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


def tell(arguments: argparse.Namespace) -> int:
    """Print the plan, its chance, that of each step, and why it fails."""
    if arguments.mark is not None and not 0 < arguments.mark < 1:
        raise ConfigError(f'--mark: must be between 0 and 1, not {arguments.mark:g}')
    config = load_config(arguments.config)
    agent = replace(config.agent, chance=arguments.unsure or config.agent.chance or AUTO)
    config = replace(config, perception=arguments.perception or config.perception, agent=agent)
    if arguments.unsure:
        what_is_unsure(config, '--unsure')
    asked, planner = Asked(), None
    if config.planner == LIKELIEST:  # knows what is unsure, while nothing else tells a chance
        planner = over_search(config, what_is_unsure(config), arguments.seed)
    with Simulation(arguments.scene, config=replace(config, agent=replace(agent, chance='')),
                    seed=arguments.seed, approver=asked, planner=planner) as sim:
        result = sim.run(arguments.task)
    told: dict[str, Any] = {'task': arguments.task, 'seed': arguments.seed, 'plan': []}
    if not asked.request:
        said = f'there is no plan: {result.why or result.final_detail}'
        print(json.dumps({**told, **unknown(said).as_dict(), 'said': said}, indent=2)
              if arguments.json else printable(said))
        return TASK_FAILED
    plan = replace(asked.request[0].plan, goals=result.goals)
    teller = ChanceTeller(config, arguments.mark, arguments.twins or MOST, arguments.seed,
                          arguments.jobs, changes=True)
    chance = teller.tell(plan, asked.request[0].scene)
    told |= {'plan': [step.as_dict() for step in plan.steps], **chance.as_dict()}
    lines = [f'plan:   {" → ".join(step.told for step in plan.steps)}',
             f'chance: {chance.said}',
             *(f'  {step.step}: worked in {step.worked} of {step.of}' for step in chance.steps)]
    print(json.dumps(told, indent=2) if arguments.json else printable('\n'.join(lines)))
    return SUCCESS
