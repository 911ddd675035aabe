# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The HTTP client of a model: a limit on every answer, and nothing for other servers."""

from __future__ import annotations

from typing import Any

from replan_agent.domain.chat import ModelError, ModelFailure
from replan_agent.text.shown_text import one_line

from .endpoint import OPENAI_HOST, Endpoint
from .streamed import Streamed
from .wire import CURRENT, Wire

LONGEST_ANSWER = 2_000_000  # bytes, unpacked; 200 tool calls need a tenth
MOST_REDIRECTS = 5
ENCODINGS = ('', 'identity', 'gzip', 'deflate')  # they grow at most a thousandfold
# The openai package adds headers from its environment variables (OPENAI_ORG_ID and others).
SENT = frozenset({'accept', 'accept-encoding', 'authorization', 'connection', 'content-length',
                  'content-type', 'cookie', 'host', 'user-agent'})


def bounded_client(openai: Any, endpoint: Endpoint, timeout_s: float) -> Any:
    """A client for the openai package that reads at most LONGEST_ANSWER bytes of an answer.

    It follows redirects on the endpoint's own server only. Its errors are ModelErrors.
    """

    class BoundedClient(openai.DefaultHttpxClient):
        def send(self, request: Any, **options: Any) -> Any:
            options.update(stream=True, follow_redirects=False)
            sent = request
            for _ in range(MOST_REDIRECTS):
                sent = _with_own_headers(sent, endpoint)
                response = super().send(sent, **options)
                try:
                    following = response.next_request
                    if following is None:
                        return _whole(response, request, endpoint)
                    _check_origin(following.url, sent.url, endpoint)
                finally:
                    response.close()
                sent = following
            raise ModelError(ModelFailure.BAD_REQUEST, f'{endpoint.host} redirects more than '
                             f'{MOST_REDIRECTS} times')

    return BoundedClient(timeout=timeout_s)


def _with_own_headers(request: Any, endpoint: Endpoint) -> Any:
    """Only api.openai.com gets what the openai package takes from the environment."""
    headers = {name: value for name, value in request.headers.items()
               if name in SENT or request.url.host == OPENAI_HOST}
    # Each request has a connection of its own, so that one of them can be cut off.
    headers.update({'accept-encoding': 'gzip, deflate', 'connection': 'close',
                    'authorization': f'Bearer {endpoint.key}'})
    wire = CURRENT.get()
    extensions = {**request.extensions, **({'trace': wire.trace} if wire else {})}
    return type(request)(request.method, request.url, headers=headers, content=request.read(),
                         extensions=extensions)


def _check_origin(to: Any, own: Any, endpoint: Endpoint) -> None:
    if (to.scheme, to.host, to.port) != (own.scheme, own.host, own.port):
        raise ModelError(ModelFailure.BAD_REQUEST, f'{endpoint.host} redirects to '
                         f'{one_line(f"{to.scheme}://{to.netloc.decode()}", 200)}, another '
                         'server, which is not asked; set vlm.base_url to the right address')


def _whole(response: Any, request: Any, endpoint: Endpoint) -> Any:
    """The response with its body read and unpacked."""
    encoding = response.headers.get('content-encoding', '').strip().lower()
    if encoding not in ENCODINGS:
        raise ModelError(ModelFailure.NOT_A_COMPLETION, f'{endpoint.host} answered in the '
                         f'encoding {one_line(encoding, 60)}, which was not asked for')
    body = _read(response, endpoint, CURRENT.get() or Wire())
    headers = [(name, value) for name, value in response.headers.multi_items()
               if name not in ('content-encoding', 'content-length', 'transfer-encoding')]
    return type(response)(response.status_code, headers=headers, content=body, request=request)


def _read(response: Any, endpoint: Endpoint, wire: Wire) -> bytes:
    """The whole body. A streamed one is put together into what it would be in one piece."""
    is_stream = 'event-stream' in response.headers.get('content-type', '')
    streamed = Streamed() if is_stream and response.status_code == 200 else None
    body, size = bytearray(), 0
    for part in response.iter_bytes():
        size += len(part)
        if size > LONGEST_ANSWER:
            raise ModelError(ModelFailure.NOT_A_COMPLETION, f'the answer of {endpoint.host} is '
                             f'longer than {LONGEST_ANSWER / 1e6:g} MB')
        if streamed is None:
            body += part
        else:
            streamed.feed(part)
            wire.tokens = streamed.tokens
        wire.has_begun = streamed is None or streamed.tokens > 0
    return bytes(body) if streamed is None else streamed.body()
