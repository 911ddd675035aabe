# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent local-model`: a model file behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import argparse
from pathlib import Path

from replan_agent.app.terminal.argument_types import count, port, positive

PORT = 8012
CONTEXT = 8192  # room for all tools, a full table, what failed, and the reply


def add_local_model(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    local = commands.add_parser(
        'local-model', help='serve a model file (GGUF) on this machine',
        description='Serves an OpenAI-compatible endpoint on 127.0.0.1 with llama.cpp, and '
                    'prints the command that uses it. Needs: '
                    "pip install 'replan_agent_bench[local]'")
    local.add_argument('file', type=Path, metavar='FILE.gguf', help='the weights')
    local.add_argument('--port', type=port, default=PORT,
                       help=f'default: {PORT}; 0: any that is free')
    local.add_argument('--threads', type=positive, metavar='N',
                       help='default: the physical cores of this machine')
    local.add_argument('--context', type=count, default=CONTEXT, metavar='TOKENS',
                       help=f'longest prompt with its reply (default: {CONTEXT}; 0: all that '
                            'the model was trained with)')
    local.set_defaults(command=_local_model)


def _local_model(arguments: argparse.Namespace) -> int:
    from .local_server import LocalModel, physical_cores, serve
    return serve(LocalModel(arguments.file, arguments.port,
                            arguments.threads or physical_cores(), arguments.context))
