# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a request says, read with care; and how it is answered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from replan_agent.record.run_folder import as_json
from replan_agent.text.shown_text import one_line

LARGEST_BODY = 64_000  # bytes
LONGEST_TASK, LONGEST_NAME = 2000, 60  # characters
MOST_DIGITS = 18
MOST_METRES = 100  # and rad
_SLOW_READS = ThreadPoolExecutor(3, 'reads')


class Refused(HTTPException):
    """A request that is not carried out; the sentence is for the person at the page."""

    def __init__(self, status: int, why: object) -> None:
        super().__init__(status, one_line(why))


async def json_of(call: Callable[[], bytes]) -> Response:
    """The JSON that a call gives, which may take a while; status 204 if it gives none.

    Few at a time: whoever watches takes no thread from those who act.
    """
    found = await asyncio.get_running_loop().run_in_executor(_SLOW_READS, call)
    return Response(found, media_type='application/json') if found else Response(status_code=204)


def json_answer(value: Any) -> Response:
    return Response(as_json(value), media_type='application/json')


async def refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({'error': error.detail}, error.status_code)


async def not_found(request: Request, error: Exception) -> Response:
    return JSONResponse({'error': one_line(error)}, 404)


async def said_by(request: Request) -> tuple[Mapping[str, Any], str]:
    """The JSON object of a request, and who sent it."""
    if request.headers.get('content-type', '').partition(';')[0] != 'application/json':
        raise Refused(415, 'send JSON')
    body = b''
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_BODY:
            raise Refused(413, 'too long')
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise Refused(400, 'send a JSON object')
    name = one_line(str(said.get('who') or 'somebody'), LONGEST_NAME)
    address = request.client.host if request.client else 'unknown'
    return said, f'{name} (page, {address})'


def whole_number(text: str) -> int | None:
    """A whole number from 0 up; None if the text is none, or has too many digits."""
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else None


def number_of(said: Mapping[str, Any], key: str) -> float:
    """A number of a request; 0 without it. Raises Refused for anything else."""
    value = said.get(key, 0.0)
    if type(value) not in (int, float) or not abs(value) < MOST_METRES:
        raise Refused(400, f'{key}: a number')
    return float(value)


def text_of(said: Mapping[str, Any], key: str) -> str:
    """A text of a request on one line. Raises Refused if it is none or too long."""
    value = said.get(key, '')
    if not isinstance(value, str) or len(value) > LONGEST_TASK:
        raise Refused(400, f'{key}: a text of at most {LONGEST_TASK} characters')
    return one_line(value.strip(), LONGEST_TASK)
