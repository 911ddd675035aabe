# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent chat`: a conversation with the arm of the embedded simulation."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from io import TextIOWrapper

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.app.cli.run_command import robot_time
from replan_agent.app.terminal.console import ConsoleRecorder, plain_console
from replan_agent.app.terminal.exits import SUCCESS, exit_status
from replan_agent.app.terminal.signals import cancelled_by_signal
from replan_agent.domain.context import Context
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.text.shown_text import printable

from .talk import Talk


def chat(arguments: argparse.Namespace) -> int:
    """Answer line by line until the input ends."""
    config = load_config(arguments.config)
    config = replace(config, planner=arguments.planner or config.planner,
                     perception=arguments.perception or config.perception,
                     approver=arguments.approver or config.approver)
    with Simulation(arguments.scene, config=config, seed=arguments.seed) as sim:
        sim.agent(MemoryRecorder())  # wrong settings end it now, not the first task
        prompt = '> ' if sys.stdin.isatty() else ''
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors='replace')
        if prompt:
            print(arguments.how)
        talk, status = Talk(sim), SUCCESS
        while True:
            print(prompt, end='', flush=True)
            line = sys.stdin.readline()
            if not line:
                return status
            watcher = ConsoleRecorder(plain_console(), robot_time=robot_time(sim))
            with cancelled_by_signal() as token:
                reply = talk.say(line, out=arguments.out, watchers=[watcher],
                                 ctx=Context(cancel=token))
            print(printable(reply.text), flush=True)
            if reply.result is not None and reply.result.not_recorded:
                status = exit_status(reply.result, arguments.out)
