# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The options of `replan-agent run`."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

from replan_agent.app.build.plugins import known_names
from replan_agent.app.terminal.argument_types import count, seed
from replan_agent.app.terminal.shared_arguments import A_SCENE, add_config, add_eye, add_model
from replan_agent.domain.config import MODEL_WAYS, PERCEPTIONS, PLANNERS, Config

RUN_EXAMPLES = """\
  replan-agent run "put the red cube in the bowl" --scene tabletop
  replan-agent run "stack the red cube on the blue cube" --seed 7 --video runs/run.mp4
  replan-agent run "pick up the red cube" --scene far_cube --max-replans 2 --json
  replan-agent run "put the red cube in the bowl" --perception camera
  replan-agent run "put the red cube in the bowl" --approver console
  replan-agent run --resume runs/TIME-SCENE --hint "push it nearer first" --planner vlm \\
      --model fake-model --base-url http://127.0.0.1:8765/v1
"""
APPROVERS = ('none', 'auto', 'adaptive', 'console')
EXIT_STATUS = """\
exit status: 0 the task succeeded, 1 it failed (the verdict says why), 2 wrong use, 3 the
record of the task could not be written.
Ctrl-C during a task stops the arm and ends the task as cancelled: 1. A second Ctrl-C,
or one while the program starts, interrupts at once: 130.
"""


def names_of(setting: str, group: str) -> tuple[str, ...]:
    """The valid names of a setting: of the core, and of packages, also if ours are missing."""
    (spec,) = (f for f in fields(Config) if f.name == setting)
    return (*spec.metadata['choices'], *known_names(group))


def add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    run = commands.add_parser('run', help='carry out a task in the embedded simulation',
                              formatter_class=argparse.RawTextHelpFormatter,
                              epilog=f'examples:\n{RUN_EXAMPLES}\n{EXIT_STATUS}')
    run.add_argument('task', nargs='?', help='what to do, e.g. "put the red cube in the bowl"')
    run.add_argument('--scene', metavar='NAME|FILE', help=A_SCENE)
    run.add_argument('--seed', type=seed, help='random seed (default: 0)')
    run.add_argument('--max-replans', type=count, metavar='N', help='new plans after errors')
    run.add_argument('--perception', choices=names_of('perception', PERCEPTIONS),
                     help='ground_truth: from the simulator (default); camera: from pixels;\n'
                          'camera_vlm: the same, and a model points at what colour cannot name')
    add_eye(run)
    run.add_argument('--planner', choices=names_of('planner', PLANNERS),
                     help='search: a grammar and a search over the skills (default); '
                          'stub: the same, but it ignores what failed; vlm: a '
                          'vision-language model')
    _add_people(run)
    add_model(run)
    run.add_argument('--model-mode', choices=('auto', *MODEL_WAYS),
                     help='for vlm: how the model is asked for a plan (default: auto, which\n'
                          'finds out what works)')
    run.add_argument('--model-output', choices=('auto', 'steps', 'goals'),
                     help='for vlm: the model plans steps, or names goals that the search plans\n'
                          'for (default: auto, steps with tools, else goals)')
    run.add_argument('--record-model', metavar='FILE',
                     help='record every exchange with the model in FILE')
    run.add_argument('--replay-model', metavar='FILE',
                     help='answer from a recorded file instead of a model')
    run.add_argument('--memory', metavar='FILE',
                     help='file of the failure memory; created if missing')
    add_config(run)
    run.add_argument('--out', type=Path, metavar='DIR',
                     help='folder for result.json and events.jsonl (default: runs/TIME-SCENE)')
    run.add_argument('--video', type=Path, metavar='FILE', help='film the run: .mp4 or .gif')
    run.add_argument('--json', action='store_true', help='print result.json and nothing else')
    run.set_defaults(command=_run)


def _add_people(run: argparse.ArgumentParser) -> None:
    run.add_argument('--approver', choices=APPROVERS,
                     help='who approves the plans; adaptive asks you only if a plan is risky\n'
                          '(default: from the settings)')
    run.add_argument('--resume', type=Path, metavar='RUN',
                     help='continue the task of an earlier run (its folder or result.json), even\n'
                          'one that was killed, with its settings and with what failed in it;\n'
                          'the simulated world starts again')
    run.add_argument('--hint', action='append', default=[], metavar='SENTENCE',
                     help='what the next plan should know; may be repeated; without a model\n'
                          'only answers to what the task leaves open count')


def _run(arguments: argparse.Namespace) -> int:
    from .run_command import run
    return run(arguments)
