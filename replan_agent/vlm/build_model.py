"""Builds the model from the settings: an endpoint, with or without recording, or a replay."""

from __future__ import annotations

from pathlib import Path

from replan_agent.domain.config import ConfigError, VLMConfig

from .client import ChatClient
from .recorded import Completes, RecordingModel, ReplayedModel


def chat_model(config: VLMConfig) -> Completes:
    """The configured model. Raises ConfigError if the settings cannot work."""
    if config.record and config.replay:
        raise ConfigError('vlm.record and vlm.replay cannot be used together: an answer comes '
                          'either from the model or from a recording')
    if config.replay:
        return ReplayedModel(Path(config.replay))
    client = ChatClient(config)
    return RecordingModel(client, Path(config.record)) if config.record else client
