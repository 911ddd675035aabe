"""`replan-agent arm check FILE`: what a user of another arm runs first."""

from __future__ import annotations

import argparse
from pathlib import Path

from replan_agent.app.cli.added_commands import Commands
from replan_agent.app.terminal.console import plain_console
from replan_agent.app.terminal.exits import SUCCESS, TASK_FAILED, WrongUse
from replan_agent.text.file_bytes import NotWritten, write_whole


def add_commands(commands: Commands) -> None:
    """Add the command `arm`."""
    arm = commands.add_parser('arm', help='try an arm that a file beside its model describes')
    actions = arm.add_subparsers(title='actions', required=True, metavar='ACTION')
    check = actions.add_parser('check', help='read it, move it, pick up a cube, and say in words '
                               'what is wrong')
    check.add_argument('arm', metavar='FILE', help='the sidecar, or its name in config/arms')
    check.add_argument('--out', type=Path, default=Path('arm_check'), metavar='DIR',
                       help='where report.md and the picture go (default: arm_check)')
    check.set_defaults(command=_check)


def _check(arguments: argparse.Namespace) -> int:
    """Exit status 1 if something is wrong."""
    from replan_agent.robot.mujoco.gl import GraphicsUnavailable

    from . import arm_check
    from .arm_by_name import loaded, sidecar_path

    path = sidecar_path(arguments.arm)
    found = loaded(path)
    arm, console = found.arm, plain_console()
    findings: list[arm_check.Finding] = []

    def tell(finding: arm_check.Finding) -> None:
        mark = {True: 'ok   ', False: 'WRONG', None: '     '}[finding.ok]
        console.print(f'{mark} {finding.text}', soft_wrap=True)
        findings.append(finding)

    for note in found.notes:
        console.print(f'note: {note}', soft_wrap=True)
    for finding in arm_check.described(arm):
        tell(finding)
    tell(arm_check.solved(arm))
    picture = ''
    if all(finding.ok is not False for finding in findings):
        sim = arm_check.world_of(str(path), arm)
        for finding in (*arm_check.free_postures(sim, arm), *arm_check.moved(sim, arm)):
            tell(finding)
        tell(arm_check.picked(sim))
        try:
            arguments.out.mkdir(parents=True, exist_ok=True)
            sim.show().save(arguments.out / 'arm.png')
            picture = 'arm.png'
        except GraphicsUnavailable as error:
            console.print(f'no picture: {error}', soft_wrap=True)
        except OSError as error:
            raise WrongUse(str(error)) from error
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
        write_whole(arguments.out / 'report.md',
                    arm_check.report(path, arm, found.notes, findings, picture))
    except (NotWritten, OSError) as error:
        raise WrongUse(str(error)) from error
    console.print(f'report: {arguments.out / "report.md"}', soft_wrap=True)
    return TASK_FAILED if any(finding.ok is False for finding in findings) else SUCCESS
