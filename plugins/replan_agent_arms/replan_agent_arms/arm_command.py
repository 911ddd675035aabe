# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent arm check FILE`: what a user of another arm runs first."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from replan_agent.app.cli.added_commands import Commands
from replan_agent.app.terminal.exits import SUCCESS, TASK_FAILED, WrongUse
from replan_agent.text.file_bytes import NotWritten, write_whole

if TYPE_CHECKING:
    from replan_agent import Simulation

    from .arm_check import Finding


def add_commands(commands: Commands) -> None:
    """Add the command `arm`."""
    arm = commands.add_parser('arm', help='try an arm that a file beside its model describes')
    actions = arm.add_subparsers(title='actions', required=True, metavar='ACTION')
    check = actions.add_parser('check', help='read it, move it, pick up a cube, and say in words '
                               'what is wrong')
    check.add_argument('arm', metavar='FILE', help='the sidecar, or its name in config/arms')
    check.add_argument('--out', type=Path, default=Path('arm_check'), metavar='DIR',
                       help='where report.md and the pictures go (default: arm_check)')
    check.set_defaults(command=_check)


def _check(arguments: argparse.Namespace) -> int:
    """Exit status 1 if something is wrong."""
    from . import arm_check
    from .arm_by_name import loaded, sidecar_path

    path, told = sidecar_path(arguments.arm), _Told()
    told.begins(f'reading {path.name}')
    found = loaded(path)
    arm = found.arm
    for note in found.notes:
        told.line(f'note: {note}')
    told.add(*arm_check.described(arm))
    if not told.is_wrong:
        told.begins(f'solving {arm_check.POSES} random poses')
        told.add(arm_check.solved(arm))
    sim = arm_check.world_of(str(path), arm)
    pictures = _drawn(sim, arguments.out, 'home.png', told)
    if not told.is_wrong:
        told.begins(f'trying {arm_check.POSTURES} random postures')
        told.add(*arm_check.free_postures(sim, arm))
        told.begins('moving each joint, then the hand')
        told.add(*arm_check.moved(sim, arm))
        told.begins('picking up a cube')
        told.add(arm_check.picked(sim))
        pictures += _drawn(sim, arguments.out, 'picked.png', told)
    else:
        told.line('      it is not moved until this is right')
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
        write_whole(arguments.out / 'report.md',
                    arm_check.report(path, arm, found.notes, told.findings, pictures))
    except (NotWritten, OSError) as error:
        raise WrongUse(str(error)) from error
    told.line(f'report: {arguments.out / "report.md"}')
    return TASK_FAILED if told.is_wrong else SUCCESS


class _Told:
    """What is said as it is found, and kept for the report."""

    def __init__(self) -> None:
        from replan_agent.app.terminal.console import plain_console

        self.findings: list[Finding] = []
        self._console = plain_console()

    @property
    def is_wrong(self) -> bool:
        return any(finding.ok is False for finding in self.findings)

    def line(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)

    def begins(self, what: str) -> None:
        """Say what takes a while."""
        self.line(f'      {what} ...')

    def add(self, *findings: Finding) -> None:
        for finding in findings:
            self.line(f'{finding.mark:5} {finding.text}')
            self.findings.append(finding)


def _drawn(sim: Simulation, folder: Path, name: str, told: _Told) -> list[str]:
    """The picture that was written; none where there is no graphics library."""
    from replan_agent.robot.mujoco.gl import GraphicsUnavailable

    try:
        folder.mkdir(parents=True, exist_ok=True)
        sim.show().save(folder / name)
    except GraphicsUnavailable as error:
        told.line(f'no picture: {error}')
        return []
    except OSError as error:
        raise WrongUse(str(error)) from error
    return [name]
