# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A client and the stand-in server that it talks to over real HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from model_server import ModelServer

from replan_agent.domain.config import VLMConfig
from replan_agent.vlm.client import ChatClient

KEY = 'sk-test-0123456789abcdef'

MakeServer = Callable[..., ModelServer]
MakeClient = Callable[..., ChatClient]


@pytest.fixture
def make_server() -> Iterator[MakeServer]:
    """Started servers, closed after the test."""
    servers: list[ModelServer] = []

    def make(*misbehave: str, kind: type[Any] = ModelServer, **options: object) -> Any:
        servers.append(kind(misbehave, **options).start())
        return servers[-1]

    yield make
    for server in servers:
        server.close()


@pytest.fixture
def make_client() -> Iterator[MakeClient]:
    """Clients of a server, with a key. By default they do not retry and do not wait."""
    pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")
    clients: list[ChatClient] = []

    def make(server: ModelServer | str, **settings: object) -> ChatClient:
        url = server if isinstance(server, str) else server.base_url
        given = {'timeout': 5.0, 'max_retries': 0, 'retry_wait': 0.0, **settings}
        config = VLMConfig(url, 'fake-model', 'TEST_MODEL_KEY', **given)
        clients.append(ChatClient(config, {'TEST_MODEL_KEY': KEY}))
        return clients[-1]

    yield make
    for client in clients:
        client.close()
