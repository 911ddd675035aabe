# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is recorded of each run: facts for the result, the run folder, what a model was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from replan_agent.agent.ports import ChatModel
from replan_agent.domain.chat import ChatMessage, ChatReply, ModelError, ReplyForm, ToolSpec
from replan_agent.domain.config import Config, ConfigError, RobotConfig
from replan_agent.domain.context import Context
from replan_agent.domain.motion_sample import Trace
from replan_agent.record.picture_files import FrameSource
from replan_agent.record.run_folder import RunFolder
from replan_agent.record.versions import versions
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent.text.file_bytes import reason
from replan_agent.text.shown_text import one_line


def world_facts(scene: SceneSpec, seed: int, robot: RobotConfig) -> dict[str, Any]:
    """Facts of the embedded world."""
    return {'scene': scene.name, **({'scene_file': str(scene.file)} if scene.file else {}),
            'seed': seed, 'robot': 'mujoco', 'arm_model': robot.model, 'base_frame': robot.frame}


def run_facts(config: Config, planner: str = '', perception: str = '', approver: str = ''
              ) -> dict[str, Any]:
    """Facts of the agent, with the names of parts that are not those of the settings."""
    settings = {**asdict(config), 'planner': planner or config.planner,
                'perception': perception or config.perception}
    if config.agent.memory:  # for a later run in another folder
        settings['agent']['memory'] = str(Path(config.agent.memory).absolute())
    return {'approver': approver or config.approver, 'settings': settings, 'versions': versions()}


def run_folder(path: Path, robot_time: Callable[[], float] = lambda: 0.0,
               frame: FrameSource | None = None, trace: Trace | None = None,
               reports: Sequence[Callable[[Path], None]] = ()) -> RunFolder:
    """The folder of a run. Raises ConfigError if it cannot be written."""
    try:
        return RunFolder(path, robot_time, frame, trace, reports)
    except FileExistsError as error:
        raise ConfigError(f'{one_line(path, 300)}: it is a file, not a folder; name a folder '
                          'for the run') from error
    except (OSError, ValueError) as error:
        raise ConfigError(f'{one_line(path, 300)}: cannot be written: {reason(error)}') from error


@dataclass(frozen=True)
class TellingModel:
    """Passes everything on to a model, and tells each exchange to who records the task.

    Pictures are told as hash and size. There are no keys in messages and replies.
    """

    model: ChatModel

    @property
    def name(self) -> str:
        return self.model.name

    def complete(self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec],
                 ctx: Context, form: ReplyForm | None = None) -> ChatReply:
        told = {'model': self.name, 'messages': [message.as_dict() for message in messages]}
        try:
            reply = self.model.complete(messages, tools, ctx, form)
        except ModelError as error:
            ctx.tell_exchange({**told, 'error': str(error)})
            raise
        ctx.tell_exchange({**told, 'reply': reply.as_dict()})
        return reply
