"""Makes text from outside safe for a file and a terminal."""

from __future__ import annotations

_CONTROLS = {code: '\ufffd' for code in (*range(32), *range(127, 160))
             if chr(code) not in '\t\n\r'}


def printable(text: str) -> str:
    """The text without half surrogate pairs and control characters."""
    return text.encode('utf-8', 'replace').decode().translate(_CONTROLS)
