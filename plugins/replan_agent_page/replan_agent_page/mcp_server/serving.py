# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Serves over stdio or HTTP until the client leaves or a signal comes. Then the arm is stopped."""

from __future__ import annotations

import hmac
import os
import sys
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from replan_agent_page.serve.connections import RIGHT
from replan_agent_page.serve.desk import Desk
from replan_agent_page.serve.http_serving import (
    HttpServer,
    bound,
    on_signal,
    serve_until_signal,
    shown_address,
)
from replan_agent_page.serve.loopback import is_loopback

PATH = '/mcp'


def serve_stdio(server: MCPServer[Any], desk: Desk) -> None:
    """Serve one client on standard input and output, until it closes them."""
    def end() -> None:
        desk.close()
        os._exit(0)  # the thread that reads the input cannot be ended

    with on_signal(end):
        try:
            server.run('stdio')
        finally:
            desk.close()


def serve_http(server: MCPServer[Any], desk: Desk, host: str, port: int, token: str) -> None:
    """Serve clients over HTTP until a signal comes. Raises WrongUse if the address is taken."""
    app: ASGIApp = server.streamable_http_app(
        streamable_http_path=PATH, host=host, transport_security=_allowed(host))
    app = _WithToken(app, token)
    with bound(host, port) as listening:
        print(f'serving MCP on {shown_address(host, listening)}{PATH} (Ctrl-C ends it)',
              file=sys.stderr, flush=True)
        serve_until_signal(HttpServer(app, lifespan='on'), listening, desk.close)


class _WithToken:
    """Lets only requests with the token through; without a token, all."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._expected = app, f'Bearer {token}'.encode() if token else b''

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope['type'] == 'lifespan' or self._is_known(scope):
            scope[RIGHT] = True
            await self._app(scope, receive, send)
            return
        refusal = PlainTextResponse('this server needs its token: Authorization: Bearer TOKEN\n',
                                    401, {'WWW-Authenticate': 'Bearer'})
        await refusal(scope, receive, send)

    def _is_known(self, scope: Scope) -> bool:
        if not self._expected:
            return True
        given = [value for name, value in scope['headers'] if name.lower() == b'authorization']
        return len(given) == 1 and hmac.compare_digest(given[0], self._expected)


def _allowed(host: str) -> TransportSecuritySettings:
    """On loopback, keep out web pages that reach us under another name; else the token does."""
    if not is_loopback(host):
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    hosts = ('127.0.0.1:*', 'localhost:*', '[::1]:*', f'{host}:*')
    return TransportSecuritySettings(allowed_hosts=[*hosts],
                                     allowed_origins=[f'http://{name}' for name in hosts])
