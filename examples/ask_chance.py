# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ask how likely a plan works before anything moves, and decide by it.

    .venv/bin/python examples/ask_chance.py

The plan runs in simulated twins, in each of which the things are as they may really be.
"""

from dataclasses import replace

from replan_agent import Approval, ApprovalRequest, Context, Simulation, load_config


class OnlyIfLikely:
    """Approves a plan that works in nine of ten twins."""

    def approve(self, request: ApprovalRequest, ctx: Context) -> Approval:
        chance = request.chance  # empty after a failure, when it is not known
        if not chance:
            return Approval(True, 'only_if_likely', 'a second try')
        print('the plan', ' → '.join(step.call for step in request.plan.steps), chance['said'])
        return Approval(chance['value'] >= 0.9, 'only_if_likely', 'too often it fails')

    def report_outcome(self, success: bool) -> None:
        """Called when a plan that it approved has ended."""


usual = load_config(None)
for unsure in ('auto', 'bad_camera'):  # what is known of where things are
    config = replace(usual, agent=replace(usual.agent, chance=unsure))
    with Simulation('pick_cube', config=config, approver=OnlyIfLikely()) as simulation:
        result = simulation.run('pick up the red cube')
    print(f'{unsure}: {result.final_reason}')
