# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent bench`, `demo` and servers of models: their options, and no heavy import."""

from __future__ import annotations

import argparse
from pathlib import Path

from replan_agent.app.cli.added_commands import Commands
from replan_agent.app.cli.run_arguments import names_of
from replan_agent.app.terminal.argument_types import port, positive, seed
from replan_agent.app.terminal.exits import WrongUse
from replan_agent.app.terminal.shared_arguments import add_eye
from replan_agent.domain.config import MOTION_PLANNERS
from replan_agent.ros.commands.ros_commands import without_ros

from .all_suites import suite_names
from .local_model_command import add_local_model


def add_commands(commands: Commands) -> None:
    """Add the commands `bench`, `demo`, `fake-model` and `local-model`."""
    _add_bench(commands)
    _add_demo(commands)
    _add_fake_model(commands)
    add_local_model(commands)


def _add_bench(commands: Commands) -> None:
    bench = commands.add_parser('bench', help='measure success rates and speed')
    what = bench.add_mutually_exclusive_group(required=True)
    what.add_argument('--suite', choices=suite_names(),
                      help='success, contacts and time over randomised episodes')
    what.add_argument('--tasks', choices=('pick',), help='the same as --suite')
    what.add_argument('--ik', action='store_true', help='inverse kinematics: share and time')
    bench.add_argument('--arm', metavar='NAME',
                       help='for motion, pick, perception, objects and robosuite: another arm, by '
                            'its name or its .yaml file; our scenes are scaled to its reach and '
                            'hand')
    bench.add_argument('--rows', nargs='+', metavar='NAME', help='only these rows of the suite')
    bench.add_argument('--set', choices=('random_urdfs', 'robosuite', 'ours'),
                       help='for objects and pile: the set of things (default: all)')
    bench.add_argument('--objects', type=Path, metavar='DIR',
                       help='for objects and pile: where the set is unpacked (default: where '
                            'its package is installed); for why: a folder with random_urdfs, for '
                            'half of its targets')
    bench.add_argument('--problems', type=Path, metavar='FILE',
                       help='for suites with problems that others made up: where these are; '
                            'for mbm the source package of vamp-planner')
    bench.add_argument('--perception', choices=('camera', 'ground_truth'),
                       help='for many, objects and pile (default: camera)')
    add_eye(bench)
    bench.add_argument('--planner', choices=('search', 'stub', 'vlm', 'physics'),
                       help='for language (default: search), and for suites of other packages '
                            'that have a choice; physics: search, carried out')
    bench.add_argument('--motion-planner', choices=names_of('motion_planner', MOTION_PLANNERS),
                       help='what finds the paths (default: as in the settings)')
    bench.add_argument('--config', type=Path, metavar='FILE',
                       help='for a suite with --planner vlm, and for model: settings that name '
                            'the model')
    bench.add_argument('--modes', nargs='+', metavar='MODE',
                       help='for model: only these ways to ask it, or one half of '
                            'one, as json/once; for recovery and why: only these '
                            'columns, as whole (default: all)')
    bench.add_argument('--model', help='for model: its name at the endpoint')
    bench.add_argument('--base-url', metavar='URL', help='for model: the endpoint')
    bench.add_argument('--pictures', type=Path, metavar='DIR',
                       help='for objects: a picture of each failed episode')
    bench.add_argument('--n', type=positive, metavar='N',
                       help='episodes per row, or poses with --ik (default: by the row, 400 '
                            'or 100; recovery and memory: 40)')
    bench.add_argument('--seed', type=seed, default=0, help='first random seed (default: 0)')
    bench.add_argument('--jobs', type=positive, metavar='N',
                       help='processes (default: all cores)')
    bench.add_argument('--ray', metavar='ADDRESS',
                       help="run on a Ray cluster; 'local' starts one on this machine")
    bench.add_argument('--json', type=Path, metavar='FILE', help='also write every number there')
    bench.add_argument('--keep', type=Path, nargs='+', metavar='FILE',
                       help='keep each episode in the first FILE as it ends; what is in one of '
                            'the files is not run again, so that an interrupted run goes on')
    bench.add_argument('--only-kept', action='store_true',
                       help='run nothing: show what the files of --keep have')
    bench.add_argument('--markdown', type=Path, metavar='FILE',
                       help='also write the table for a document')
    bench.add_argument('--plot', type=Path, metavar='FILE', help='also draw the table: .png, .svg')
    bench.add_argument('--video', type=Path, metavar='FILE',
                       help='film the episode; needs --rows NAME --seed SEED --n 1')
    what.add_argument(
        '--ros', dest='measure', action='store_const', const=_measure_ros,
        help='the cost of ROS compared to embedded: --n calls of each kind (default: 20)')
    bench.set_defaults(command=_bench, measure=None)


def _add_demo(commands: Commands) -> None:
    demo = commands.add_parser('demo', help='three acts: a task that works, one that cannot work, '
                                            'and a cube that is moved')
    demo.add_argument('--act', choices=('1', '2', '3', 'replan'),
                      help='only this act; replan: three plans that try the same, with the repeat '
                           'guard off')
    demo.add_argument('--out', type=Path, default=Path('runs/demo'), metavar='DIR',
                      help='folder for pictures, videos and results (default: runs/demo)')
    demo.add_argument('--no-video', action='store_true', help='write no pictures or videos')
    demo.set_defaults(command=_demo)


def _add_fake_model(commands: Commands) -> None:
    fake = commands.add_parser(
        'fake-model', help='a scripted stand-in for a model, for development',
        description='Serves an OpenAI-compatible endpoint on this machine. Rules answer, not a '
                    'model. Then: replan-agent run TASK --planner vlm --model fake-model '
                    '--base-url http://127.0.0.1:8765/v1')
    fake.add_argument('--port', type=port, default=8765, help='default: 8765')
    fake.add_argument('--misbehave', nargs='*', default=(), metavar='KIND',
                      help='how to answer the first requests wrongly, one kind per request')
    fake.set_defaults(command=_fake_model)


def _demo(arguments: argparse.Namespace) -> int:
    from .demo import demo
    return demo(arguments.out, film=not arguments.no_video, only=arguments.act)


def _fake_model(arguments: argparse.Namespace) -> int:
    from .scripted.scripted_model import RULES
    from .scripted.scripted_server import Misbehaviour, serve
    kinds = [kind.value for kind in Misbehaviour]
    unknown = [kind for kind in arguments.misbehave if kind not in kinds]
    if unknown:
        raise WrongUse(f'--misbehave: unknown {", ".join(unknown)}; choose from: '
                       f'{", ".join(kinds)}')
    return serve(arguments.port, [Misbehaviour(kind) for kind in arguments.misbehave], RULES)


def _bench(arguments: argparse.Namespace) -> int:
    from replan_agent.text.file_bytes import check_writable
    for path in (arguments.json, arguments.markdown, *(arguments.keep or ()), arguments.plot):
        if path:
            check_writable(path)  # check before an hour of episodes
    if arguments.measure:
        return int(arguments.measure(arguments))
    from .command import bench
    return bench(arguments)


def _measure_ros(arguments: argparse.Namespace) -> int:
    """Exit status: 0 if it ran to the end, whatever the numbers."""
    try:
        from .ros_bench import bench
    except ModuleNotFoundError as error:
        return without_ros(error, 'bench --ros')
    return bench(arguments)
