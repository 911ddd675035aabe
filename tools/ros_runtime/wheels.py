"""Python packages for the runtime: pinned wheels, checked against their hashes by pip.

pip always downloads x86_64 wheels, and they are unpacked here, so the same code works for a native
and an emulated runtime. Index addresses come from pip's configuration.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

from .layout import CHECKOUT, PINS, Runtime
from .report import SetupError, check_call, say

AT_ONCE = 4
PLATFORMS = ('manylinux_2_28', 'manylinux_2_27', 'manylinux_2_17', 'manylinux2014',
             'manylinux2010', 'manylinux1')  # fmt: skip


def pins_file(python: str) -> Path:
    """The file with the pinned wheels for this Python."""
    return PINS / f'python{python}.txt'


def target_options(python: str) -> list[str]:
    """Options that make pip choose wheels for this Python on x86_64."""
    abi = f'cp{python.replace(".", "")}'
    return ['--only-binary=:all:', '--implementation=cp', f'--python-version={python}',
            *(f'--abi={name}' for name in (abi, 'abi3', 'none')),
            *(f'--platform={name}_x86_64' for name in PLATFORMS)]


def install(runtime: Runtime) -> None:
    """Fetch the pinned wheels and unpack them into the runtime's prefix."""
    folder = runtime.root / 'wheels'
    folder.mkdir(exist_ok=True)
    pip = find_pip()
    download(pip, runtime.python, folder)
    build_sdist(pip, folder)
    say('unpacking the wheels')
    for wheel in sorted(folder.glob('*.whl')):
        unpack(wheel, runtime)
    shutil.rmtree(folder)


def find_pip() -> list[str]:
    """The pip of the project's environment or of this Python."""
    for python in (CHECKOUT / '.venv' / 'bin' / 'python', Path(sys.executable)):
        if python.exists() and not subprocess.run([python, '-m', 'pip', '--version'],
                                                  capture_output=True).returncode:
            return [str(python), '-m', 'pip', '--disable-pip-version-check', '--no-input']
    raise SetupError("pip is needed but missing. Make the project's own environment "
                     'first:  tools/bootstrap.sh')


def download(pip: list[str], python: str, folder: Path) -> None:
    """Fetch every pinned wheel that is not there yet, several at a time."""
    pins = [line for line in pins_file(python).read_text('utf-8').splitlines() if line[0] != '#']
    say(f'fetching {len(pins)} wheels')
    running = []
    for part in range(AT_ONCE):
        wanted = folder / f'part{part}.txt'
        wanted.write_text('\n'.join(pins[part::AT_ONCE]) + '\n', 'utf-8')
        log = (folder / f'part{part}.log').open('w')
        command = [*pip, 'download', '--quiet', '--no-deps', '--require-hashes',
                   '--dest', str(folder), '-r', str(wanted), *target_options(python)]
        running.append(subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT))
    _watch(running, folder, len(pins))
    for part, process in enumerate(running):
        if process.returncode:
            tail = (folder / f'part{part}.log').read_text(errors='replace').splitlines()[-8:]
            raise SetupError('pip could not fetch the wheels:\n' + '\n'.join(tail))


def _watch(running: list[subprocess.Popen[bytes]], folder: Path, total: int) -> None:
    """Wait for the downloads and report progress."""
    reported_at = time.monotonic()
    while any(process.poll() is None for process in running):
        time.sleep(0.2)
        if time.monotonic() - reported_at > 10:
            reported_at = time.monotonic()
            say(f'  {len(list(folder.glob("*.whl")))} of {total} wheels are here')


def build_sdist(pip: list[str], folder: Path) -> None:
    """Make wheels of source-only packages, with the pinned setuptools."""
    setuptools = folder / 'setuptools'
    with zipfile.ZipFile(next(folder.glob('setuptools-*.whl'))) as archive:
        archive.extractall(setuptools)
    check_call([*pip, 'wheel', '--quiet', '--no-deps', '--no-build-isolation',
                '--require-hashes', '--wheel-dir', folder, '-r', PINS / 'sdist.txt'],
               'building wheels from source', env={**os.environ, 'PYTHONPATH': str(setuptools)})
    shutil.rmtree(setuptools)


def unpack(wheel: Path, runtime: Runtime) -> None:
    """Unpack a wheel below the prefix as pip would, without running any of its code."""
    site = runtime.site_packages
    schemes = {'data': runtime.prefix, 'purelib': site, 'platlib': site,
               'scripts': runtime.prefix / 'bin', 'headers': runtime.prefix / 'include'}
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            if member.is_dir():
                continue
            top, *rest = member.filename.split('/')
            if top.endswith('.data'):
                target = schemes[rest[0]].joinpath(*rest[1:])
            else:
                target = site / member.filename
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, target.open('wb') as copy:
                shutil.copyfileobj(source, copy)
            if member.external_attr >> 16 & 0o111:
                target.chmod(0o755)
