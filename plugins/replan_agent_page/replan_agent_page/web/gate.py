# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lets requests in: only from our own page, and only with the right that their token gives."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from replan_agent_page.serve.connections import RIGHT
from replan_agent_page.serve.loopback import is_loopback

API = '/api/'
OURS = ('', 'same-origin', 'none')  # Sec-Fetch-Site of the page itself, and of no page at all
HEADERS = {
    'Content-Security-Policy': (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': 'no-store',
}


class Right(str, Enum):
    """What a client may do. Who may act may also watch."""

    WATCH = 'watch'
    ACT = 'act'


@dataclass(frozen=True)
class Tokens:
    """A token for each right. Without tokens everyone on this machine may act."""

    watch: str = ''
    act: str = ''

    def right(self, authorization: str) -> Right | None:
        """What the header `Authorization` gives; None if nothing."""
        if not self.act:
            return Right.ACT
        for right, token in ((Right.ACT, self.act), (Right.WATCH, self.watch)):
            if hmac.compare_digest(authorization.encode(), f'Bearer {token}'.encode()):
                return right
        return None


class Gate:
    """In front of the application: adds the right of the client to the scope, or refuses."""

    def __init__(self, app: ASGIApp, host: str, tokens: Tokens) -> None:
        self._app, self._tokens = app, tokens
        self._names = {host, '127.0.0.1', 'localhost', '[::1]'} if is_loopback(host) else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope['type'] != 'http':  # there are no others; a WebSocket would pass no check
            return
        headers = Headers(scope=scope)
        status, why = self._refusal(headers, scope['method'])
        right = self._tokens.right(headers.get('authorization', ''))
        if not why and scope['path'].startswith(API):
            if right is None:
                status, why = 401, 'this page needs its token: open the address that was printed'
            elif scope['method'] != 'GET' and right is not Right.ACT:
                status, why = 403, 'this token may watch, not act'
        scope[RIGHT] = right
        app = JSONResponse({'error': why}, status) if why else self._app
        await app(scope, receive, _with_headers(send))

    def _refusal(self, headers: Mapping[str, str], method: str) -> tuple[int, str]:
        """Why a request is not from our page: another name of this server, or another site."""
        host = headers.get('host', '')
        if self._names is not None and host.rsplit(':', 1)[0] not in self._names:
            return 421, 'this server does not have that name'
        origin = headers.get('origin')
        if origin is not None and origin not in (f'http://{host}', f'https://{host}'):
            return 403, 'another web page may not use this server'
        followed = method == 'GET' and headers.get('sec-fetch-mode') == 'navigate'  # a link
        if headers.get('sec-fetch-site', '') not in OURS and not followed:
            return 403, 'another web page may not use this server'
        return 0, ''


def _with_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message['type'] == 'http.response.start':
            message['headers'] = [*message['headers'],
                                  *((k.lower().encode(), v.encode()) for k, v in HEADERS.items())]
        await send(message)

    return with_headers
