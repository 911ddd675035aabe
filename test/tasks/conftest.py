"""The tests here import their neighbours: this import mode has no packages for it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
