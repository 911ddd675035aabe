"""Builds the model from the settings: an endpoint, with or without recording, or a replay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from replan_agent.domain.config import ConfigError, VLMConfig

from .client import ChatClient
from .recorded import Completes, RecordingModel, ReplayedModel


def vlm_of(config: VLMConfig, owner: str) -> VLMConfig:
    """The settings with recordings of the owner's own: `model.json` is `model.<owner>.json`.

    Two that ask the model, each for itself, must not share a recording.
    """
    def own(file: str) -> str:
        path = Path(file)
        return str(path.with_name(f'{path.stem}.{owner}{path.suffix}')) if file else ''

    return replace(config, record=own(config.record), replay=own(config.replay))


def chat_model(config: VLMConfig) -> Completes:
    """The configured model. Raises ConfigError if the settings cannot work."""
    if config.record and config.replay:
        raise ConfigError('vlm.record and vlm.replay cannot be used together: an answer comes '
                          'either from the model or from a recording')
    if config.replay:
        return ReplayedModel(Path(config.replay))
    client = ChatClient(config)
    return RecordingModel(client, Path(config.record)) if config.record else client
