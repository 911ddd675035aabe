"""Runs rows of the suite motion with MoveIt's paths, or with the built-in planner, and compares.

    python3 tools/moveit_bench.py --parameters move_group.yaml --rows cube40 wall
    python3 tools/moveit_bench.py --rows cube40 wall --n 20

The first needs an environment with moveit_py. The file has the parameters of a move_group, as
`ros2 param dump /move_group` writes them. The second is the same without MoveIt. No node runs.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path

from replan_agent_bench.command import bench_settings, chosen_rows, collect
from replan_agent_bench.outcome import Job, Outcome
from replan_agent_bench.report.json_report import suite_report, write_json
from replan_agent_bench.report.suite_table import flaw_lines, suite_table
from replan_agent_bench.suites.motion_episode import run_motion
from replan_agent_bench.suites.motion_suite import MOTION
from replan_agent_moveit.moveit_config import configuration, require_moveit
from replan_agent_moveit.moveit_paths import moveit_planner
from replan_agent_moveit.moveit_settings import MoveItSettings

from replan_agent.app.terminal.console import plain_console
from replan_agent.arms.arm_names import ARM_NAMES, NEWEST_ARM
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import Config
from replan_agent.motion.planner import JointPlanner
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker

ROWS = ('cube40', 'clutter', 'place', 'wall')
EPISODES = 20


def main() -> None:
    arguments = _arguments()
    speed, acceleration = arguments.speed
    config = bench_settings()
    config = replace(
        config, robot=replace(config.robot, model=arguments.model),
        motion=replace(config.motion, max_velocity_scaling_factor=speed,
                       max_acceleration_scaling_factor=acceleration))
    planner = _moveit(config, arguments.parameters) if arguments.parameters else None
    suite = replace(MOTION, title=f'{"MoveIt" if planner else "built-in planner"}, '
                    f'{speed:g}/{acceleration:g}, {arguments.model}')
    run = partial(run_motion, motion=planner)

    def one_by_one(config: Config, jobs: list[Job]) -> list[list[Outcome]]:
        return (run(config, job) for job in jobs)

    console = plain_console()
    jobs = suite.jobs(chosen_rows(suite, arguments.rows), arguments.n, arguments.seed)
    done = collect(one_by_one, config, suite, jobs, console)
    lines = suite.summaries(done.outcomes)
    console.print(suite_table(suite, lines, done.complete))
    for line in flaw_lines(suite, done.outcomes):
        console.print(f'  {line}', soft_wrap=True)
    if arguments.json:
        write_json(arguments.json, suite_report(suite, arguments.seed, '1 process', lines,
                                                done.outcomes, done.complete))


def _moveit(config: Config, parameters: Path) -> JointPlanner:
    require_moveit()
    settings = MoveItSettings(parameters_file=str(parameters))
    return moveit_planner(config, settings, configuration(settings),
                          MujocoCollisionChecker(arm_named(config.robot.model)))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--parameters', type=Path, help='of a move_group; without: built-in')
    parser.add_argument('--rows', nargs='+', default=ROWS)
    parser.add_argument('--n', type=int, default=EPISODES)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--speed', type=float, nargs=2, default=(0.8, 0.6),
                        metavar=('VELOCITY', 'ACCELERATION'), help='scaling factors')
    parser.add_argument('--model', choices=ARM_NAMES, default=NEWEST_ARM)
    parser.add_argument('--json', type=Path)
    return parser.parse_args()


if __name__ == '__main__':
    main()
