"""The command line: `replan-agent --help` lists its commands."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from replan_agent import __version__
from replan_agent.app.build.plugins import COMMANDS, FOREIGN_ERRORS, loaded, log
from replan_agent.app.calibrate.calibrate_command import add_calibrate
from replan_agent.app.terminal.argument_types import ShortErrorParser, count, port, positive, seed
from replan_agent.app.terminal.exits import INTERRUPTED, NOT_RECORDED, WRONG_USE, WrongUse
from replan_agent.app.terminal.shared_arguments import (
    add_config,
    add_eye,
    add_model,
    add_world,
)
from replan_agent.app.terminal.signals import ctrl_c_noted
from replan_agent.app.terminal.streams import guard_printing, status_with_output
from replan_agent.domain.config import MOTION_PLANNERS, PERCEPTIONS, ConfigError
from replan_agent.domain.file_bytes import NotWritten
from replan_agent.domain.text import one_line

from .export_command import add_export
from .local_model_command import add_local_model
from .memory_command import add_memory
from .replay_command import add_replay
from .run_arguments import EXIT_STATUS, add_run, names_of
from .show_command import add_show

# A plug-in adds commands, or options for more benchmarks.
PlugIn = Callable[[Any, Any], None]

EXAMPLES = """\
examples:
  replan-agent demo
  replan-agent run "put the red cube in the bowl" --scene tabletop
  replan-agent run "stack the red cube on the blue cube" --seed 7 --video runs/run.mp4
  replan-agent run "pick up the red cube" --scene far_cube --max-replans 2 --json
  replan-agent run "put the red cube in the bowl" --perception camera
  replan-agent run "put the red cube in the bowl" --approver console
  replan-agent run --resume runs/TIME-SCENE --hint "push it nearer first" --planner vlm \\
      --model fake-model --base-url http://127.0.0.1:8765/v1
  replan-agent show runs/TIME-SCENE
  replan-agent plans runs/TIME-SCENE --diff 1 2
  replan-agent replay runs/TIME-SCENE
  replan-agent export runs/TIME-SCENE --mcap runs/run.mcap
  replan-agent run "put the lemon in the bowl" --scene fruit --perception camera_vlm \\
      --model fake-model --base-url http://127.0.0.1:8765/v1
  replan-agent look --scene tabletop
  replan-agent calibrate --scene tabletop --out runs/camera.yaml
  replan-agent scenes
  replan-agent skills

"""


def main(argv: Sequence[str] | None = None, plug_ins: Iterable[PlugIn] | None = None) -> int:
    """Run a command and return its exit status. The default plug-ins are the installed ones."""
    guard_printing()
    with ctrl_c_noted() as pressed:
        try:
            arguments = parser(_installed() if plug_ins is None else plug_ins).parse_args(argv)
            return status_with_output(int(arguments.command(arguments)))
        except NotWritten as error:  # of a benchmark; others have their own sentence
            print(f'replan-agent: {error}', file=sys.stderr)
            return NOT_RECORDED
        except (ConfigError, WrongUse) as error:
            print(f'replan-agent: {one_line(error)}', file=sys.stderr)
            return WRONG_USE
        except KeyboardInterrupt:
            print('\nreplan-agent: interrupted', file=sys.stderr)
        except Exception as error:
            if not pressed():
                raise
            print(f'\nreplan-agent: interrupted ({type(error).__name__})', file=sys.stderr)
        return INTERRUPTED


def parser(plug_ins: Iterable[PlugIn] = ()) -> argparse.ArgumentParser:
    top: argparse.ArgumentParser = ShortErrorParser(
        prog='replan-agent', epilog=EXAMPLES + EXIT_STATUS,
        formatter_class=argparse.RawTextHelpFormatter,
        description='A Franka arm that carries out a task in words, and says exactly why if it '
                    'cannot.')
    top.add_argument('--version', action='version', version=f'replan-agent {__version__}')
    commands = top.add_subparsers(title='commands', required=True, metavar='COMMAND')
    add_run(commands)
    _add_demo(commands)
    _add_look(commands)
    add_calibrate(commands)
    _add_lists(commands)
    add_show(commands)
    _add_plans(commands)
    add_replay(commands)
    add_export(commands)
    add_memory(commands)
    _add_fake_model(commands)
    add_local_model(commands)
    benchmarks = _add_bench(commands)
    for add in plug_ins:
        add(commands, benchmarks)
    return top


def _installed() -> Iterable[PlugIn]:
    return (_guarded(what, add) for what, add in loaded(COMMANDS))


def _guarded(what: str, add: PlugIn) -> PlugIn:
    """A plug-in that is left out with a sentence if it fails. Our commands stay ours."""
    def guarded(commands: Any, benchmarks: Any) -> None:
        before = dict(commands.choices)
        try:
            add(commands, benchmarks)
        except FOREIGN_ERRORS as error:
            commands.choices.clear()
            log.warning(f'{what} cannot be used: {type(error).__name__}: {error}; it is left out')
        commands.choices.update(before)

    return guarded


def _add_demo(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    demo = commands.add_parser('demo', help='three acts: a task that works, one that cannot work, '
                                            'and a cube that is moved')
    demo.add_argument('--act', choices=('1', '2', '3', 'replan'),
                      help='only this act; replan: three plans that try the same, with the repeat '
                           'guard off')
    demo.add_argument('--out', type=Path, default=Path('runs/demo'), metavar='DIR',
                      help='folder for pictures, videos and results (default: runs/demo)')
    demo.add_argument('--no-video', action='store_true', help='write no pictures or videos')
    demo.set_defaults(command=_demo)


def _add_look(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    look = commands.add_parser('look', help='show what is seen, with an annotated picture',
                               formatter_class=argparse.RawTextHelpFormatter)
    add_world(look)
    look.add_argument('--perception', choices=names_of('perception', PERCEPTIONS),
                      default='camera',
                      help='default: camera, from pixels; camera_vlm needs --point-at')
    add_eye(look)
    add_model(look)
    add_config(look)
    look.add_argument('--closer', metavar='OBJECT',
                      help='draw only this object: its cloud, its pieces and its best grasps')
    look.add_argument('--out', type=Path, default=Path('runs/look.png'), metavar='FILE',
                      help='the picture, .png or .jpg (default: runs/look.png)')
    look.add_argument('--json', action='store_true', help='print the scene as JSON')
    look.set_defaults(command=_look)


def _add_lists(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    scenes = commands.add_parser('scenes', help='list the scenes')
    scenes.add_argument('--json', action='store_true')
    scenes.set_defaults(command=_scenes)
    skills = commands.add_parser('skills', help='list the skills and their arguments')
    skills.add_argument('--json', action='store_true')
    skills.set_defaults(command=_skills)


def _add_plans(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    plans = commands.add_parser('plans', help='all versions of the plan of a run, and what '
                                              'changed between two of them')
    plans.add_argument('run', type=Path, metavar='RUN', help='folder of a run, or its result.json')
    plans.add_argument('--diff', nargs=2, type=count, metavar=('A', 'B'),
                       help='what changed from version A to version B')
    plans.add_argument('--json', action='store_true')
    plans.set_defaults(command=_plans)


def _add_fake_model(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    fake = commands.add_parser(
        'fake-model', help='a scripted stand-in for a model, for development',
        description='Serves an OpenAI-compatible endpoint on this machine. Rules answer, not a '
                    'model. Then: replan-agent run TASK --planner vlm --model fake-model '
                    '--base-url http://127.0.0.1:8765/v1')
    fake.add_argument('--port', type=port, default=8765, help='default: 8765')
    fake.add_argument('--misbehave', nargs='*', default=(), metavar='KIND',
                      help='how to answer the first requests wrongly, one kind per request')
    fake.set_defaults(command=_fake_model)


def _add_bench(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> Any:
    """Returns the option group of benchmarks. Plug-ins add theirs and set `measure`."""
    from replan_agent.bench.all_suites import suite_names
    bench = commands.add_parser('bench', help='measure success rates and speed')
    what = bench.add_mutually_exclusive_group(required=True)
    what.add_argument('--suite', choices=suite_names(),
                      help='success, contacts and time over randomised episodes')
    what.add_argument('--tasks', choices=('pick',), help='the same as --suite')
    what.add_argument('--ik', action='store_true', help='inverse kinematics: share and time')
    bench.add_argument('--rows', nargs='+', metavar='NAME', help='only these rows of the suite')
    bench.add_argument('--set', choices=('random_urdfs', 'robosuite', 'ours'),
                       help='for objects and pile: the set of things (default: all)')
    bench.add_argument('--objects', type=Path, metavar='DIR',
                       help='for objects and pile: where the set is unpacked (default: where '
                            'its package is installed)')
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
                            'one, as json/once; for recovery: only these kinds, as whole '
                            '(default: all)')
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
    bench.set_defaults(command=_bench, measure=None)
    return what


# Each command imports what it needs itself: `--help` should not wait for MuJoCo.

def _demo(arguments: argparse.Namespace) -> int:
    from .demo import demo
    return demo(arguments.out, film=not arguments.no_video, only=arguments.act)


def _look(arguments: argparse.Namespace) -> int:
    from .look_command import look
    return look(arguments)


def _scenes(arguments: argparse.Namespace) -> int:
    from .run_command import scenes
    return scenes(as_json=arguments.json)


def _skills(arguments: argparse.Namespace) -> int:
    from .run_command import skills
    return skills(as_json=arguments.json)


def _plans(arguments: argparse.Namespace) -> int:
    from .plans_command import plans
    return plans(arguments)


def _fake_model(arguments: argparse.Namespace) -> int:
    from replan_agent.app.scripted_model import RULES
    from replan_agent.vlm.scripted.scripted_server import Misbehaviour, serve
    kinds = [kind.value for kind in Misbehaviour]
    unknown = [kind for kind in arguments.misbehave if kind not in kinds]
    if unknown:
        raise WrongUse(f'--misbehave: unknown {", ".join(unknown)}; choose from: '
                       f'{", ".join(kinds)}')
    return serve(arguments.port, [Misbehaviour(kind) for kind in arguments.misbehave], RULES)


def _bench(arguments: argparse.Namespace) -> int:
    from replan_agent.app.terminal.outputs import check_writable
    for path in (arguments.json, arguments.markdown, *(arguments.keep or ()), arguments.plot):
        if path:
            check_writable(path)  # check before an hour of episodes
    if arguments.measure:
        return int(arguments.measure(arguments))
    from replan_agent.bench.command import bench
    return bench(arguments)


if __name__ == '__main__':
    sys.exit(main())
