# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have, declared once."""

from __future__ import annotations

import argparse
from pathlib import Path

from .argument_types import seed

A_SCENE = 'a scene by name or a YAML file (default: tabletop)'


def add_world(command: argparse.ArgumentParser, scene_help: str = A_SCENE) -> None:
    """Add --scene and --seed."""
    command.add_argument('--scene', default='tabletop', metavar='NAME|FILE', help=scene_help)
    command.add_argument('--seed', type=seed, default=0, help='random seed (default: 0)')


def add_eye(command: argparse.ArgumentParser) -> None:
    """Add --eye-in-hand."""
    command.add_argument('--eye-in-hand', action='store_true',
                         help='a second camera is on the hand, and the arm looks from several\n'
                              'sides at the start and after failures')


def add_config(command: argparse.ArgumentParser) -> None:
    """Add --config."""
    command.add_argument('--config', type=Path, metavar='FILE',
                         help='settings, as in config/sim.yaml')


def add_model(command: argparse.ArgumentParser, objects: str = 'the objects that the task names'
              ) -> None:
    """Add --point-at, --model and --base-url. `objects` are looked for without --point-at."""
    command.add_argument('--point-at', action='append', metavar='WORDS',
                         help='for camera_vlm: what to look for, e.g. "the lemon"; may be\n'
                              f'repeated (default: {objects})')
    command.add_argument('--model', help='for vlm and camera_vlm: the model, e.g. gpt-5-mini')
    command.add_argument('--base-url', metavar='URL',
                         help='for vlm and camera_vlm: an OpenAI-compatible endpoint, e.g.\n'
                              'http://localhost:11434/v1')
