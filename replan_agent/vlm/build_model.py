"""The model that the settings ask for: an endpoint, recorded or not, or a recording of one."""

from __future__ import annotations

from pathlib import Path

from replan_agent.domain.config import ConfigError, VLMConfig

from .client import ChatClient
from .recorded import Completes, RecordingModel, ReplayedModel


def chat_model(config: VLMConfig) -> Completes:
    """Raises ConfigError when the settings cannot work."""
    if config.record and config.replay:
        raise ConfigError('vlm.record and vlm.replay exclude each other: an answer is either '
                          'asked for or taken from a recording')
    if config.replay:
        return ReplayedModel(Path(config.replay))
    client = ChatClient(config)
    return RecordingModel(client, Path(config.record)) if config.record else client
