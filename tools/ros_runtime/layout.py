"""Where the runtime is, and which one this machine needs."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .report import SetupError, say

CHECKOUT = Path(__file__).resolve().parents[2]
OURS = (CHECKOUT, *(setup.parent for setup in sorted(CHECKOUT.glob('plugins/*/setup.py'))))
TOOLS = Path(__file__).resolve().parent
PINS = TOOLS / 'pins'
BOX64 = TOOLS / 'box64'
CACHE_VARIABLE = 'REPLAN_AGENT_ROS_CACHE'
EMULATED_PYTHON = '3.11'  # Debian 12's, as pins/debian.ini has it
THIS_PYTHON = f'{sys.version_info.major}.{sys.version_info.minor}'
LAYOUT = '1'  # changes when the code lays out a runtime differently from the same pins


@dataclass(frozen=True)
class Runtime:
    """One unpacked ROS 2: its folder, its Python (3.x), and whether it is emulated."""

    root: Path
    python: str
    emulated: bool

    @property
    def prefix(self) -> Path:
        """Where the wheels are unpacked; an ament prefix."""
        return self.root / 'ros'

    @property
    def interpreter(self) -> Path:
        return (self.root if self.emulated else self.prefix) / 'bin' / 'python3'

    @property
    def site_packages(self) -> Path:
        return self.prefix / self.site_packages_name

    @property
    def site_packages_name(self) -> str:
        """Where a prefix has its Python modules, relative to it."""
        return f'lib/python{self.python}/site-packages'

    @property
    def packages(self) -> Path:
        """Where interface packages are built, each into a prefix of its own."""
        return self.root / 'packages'

    @property
    def complete(self) -> Path:
        """Exists when everything is unpacked and has been tested."""
        return self.root / 'complete'


def cache_root() -> Path:
    """The cache for all checkouts of this user; made if it does not exist."""
    chosen = os.environ.get(CACHE_VARIABLE)
    user_cache = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache')
    root = Path(chosen).resolve() if chosen else user_cache / 'replan_agent' / 'ros'
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(f'cannot make {root}: {error.strerror}. '
                         f'Name a folder that you may write to:  {CACHE_VARIABLE}=...') from error
    return root


def needed_runtime() -> Runtime:
    """The runtime for this machine, unpacked or not. Raises SetupError if there can be none."""
    machine = platform.machine()
    if sys.platform != 'linux' or machine not in ('x86_64', 'aarch64'):
        raise SetupError(f'the ROS 2 wheels run on Linux on x86_64 and (emulated) on aarch64; '
                         f'this is {platform.system()} on {machine}')
    emulated = machine == 'aarch64'
    python = EMULATED_PYTHON if emulated else THIS_PYTHON
    pins = PINS / f'python{python}.txt'
    if not pins.is_file():
        known = ', '.join(sorted(p.stem for p in PINS.glob('python3.*.txt')))
        raise SetupError(f'there are pins for {known}, but this is Python {python}. '
                         f'Run it with one of those:  python3.12 tools/ros setup')
    parts = [pins, PINS / 'sdist.txt']
    if emulated:
        parts += [PINS / 'debian.ini', *BOX64.iterdir()]
    key = digest(parts, LAYOUT + python)
    return Runtime(cache_root() / f'{machine}-{key}', python, emulated)


def digest(files: Iterable[Path], seed: str = '') -> str:
    """A short hash of the names and the contents of these files."""
    found = hashlib.sha256(seed.encode())
    for file in sorted(f for f in files if f.is_file()):
        found.update(file.name.encode() + b'\0' + file.read_bytes() + b'\0')
    return found.hexdigest()[:12]


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Let one process in at a time. The others wait, and say so."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open('w') as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say('waiting for another process that is setting up')
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
