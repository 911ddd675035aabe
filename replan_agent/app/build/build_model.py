"""Builds the model from the settings: an endpoint, with or without recording, or a replay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from replan_agent.agent.ports import ChatModel
from replan_agent.domain.config import ConfigError, VLMConfig
from replan_agent.vlm.client import ChatClient

from .plugins import MODELS, offered


def vlm_of(config: VLMConfig, owner: str) -> VLMConfig:
    """The settings with recordings of the owner's own: `model.json` is `model.<owner>.json`.

    Two that ask the model, each for itself, must not share a recording.
    """
    def own(file: str) -> str:
        path = Path(file)
        return str(path.with_name(f'{path.stem}.{owner}{path.suffix}')) if file else ''

    return replace(config, record=own(config.record), replay=own(config.replay))


def chat_model(config: VLMConfig) -> ChatModel:
    """The configured model. Raises ConfigError if the settings cannot work."""
    if config.record and config.replay:
        raise ConfigError('vlm.record and vlm.replay cannot be used together: an answer comes '
                          'either from the model or from a recording')
    if config.replay:
        replayed: ChatModel = offered(MODELS, 'replayed')(Path(config.replay))
        return replayed
    model: ChatModel = ChatClient(config)
    return offered(MODELS, 'recording')(model, Path(config.record)) if config.record else model
