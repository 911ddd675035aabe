# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`make numbers`: README and docs show what docs/numbers has, and nothing else."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from replan_agent_bench.stats import wilson

from tools.make_numbers import __main__, running
from tools.make_numbers.files import (
    ENTRIES,
    NUMBERS,
    ROOT,
    NumbersError,
    checked,
    chosen,
    code_commit,
    entries,
    file_name,
    read_all,
    write,
)
from tools.make_numbers.tables import MARKED, filled, page_text, pages, table

FILES = sorted(NUMBERS.glob('*.json'))
COMMIT = re.compile('[0-9a-f]{8}')

SMALL = 'two|three|four|five|six|seven|eight|nine|ten|eleven|twelve'
RESULT = re.compile(
    rf'\b\d[\d,]*(?: %)? of (?:the |these |those )?\d[\d,]*\b|\b({SMALL}) of (?:\1\b|\d+\b)'
    r'|\b\d+ \(\d+(?:\.\d+)? %')  # 19 of 20, 98 % of 350, six of six, five of 50, 365 (85 %
NOT_TYPED = (MARKED, re.compile(r'^( *)```.*?^\1```', re.DOTALL | re.MULTILINE),  # code and quotes
             re.compile(r'(?<=\n\n)(?: {4}.*\n+)+'), re.compile('`[^`\n]*`'),
             re.compile(r'"(?:(?!\n\n)[^"]){1,300}"'))
STILL_TYPED = {('recovery.md', '20 of 20')}  # the scene `desk`, which has no file yet


def typed_results(text: str) -> list[str]:
    """What a page says of a count that was made, outside of what is made from a file."""
    for kind in NOT_TYPED:
        text = kind.sub(' ', text)
    return [found[0] for found in RESULT.finditer(' '.join(text.split()))]


def line(row: str, column: str, n: int | None, k: int | None, **more: Any) -> dict[str, Any]:
    low, high = wilson(k, n) if k is not None and n else (None, None)
    return {'row': row, 'column': column, 'n': n, 'k': k, 'low': low, 'high': high, **more}


def file(*lines: dict[str, Any], **other: Any) -> dict[str, Any]:
    return {'name': 'cups', 'size': 'full', 'carried_over': False, 'commit': '12345678',
            'date': '2026-11-19', 'command': 'replan-agent bench --suite cups', 'lines': lines,
            'machine': {'architecture': 'x86_64', 'cores': 2, 'load': None}, **other}


CUPS = file(line('tall', 'off', 40, 20, s=1.25), line('tall', 'on', 40, 40, s=None),
            line('flat', 'on', 10, 9, s=2.0))
SHOWN = {'heads': ['cup', 'off', 'on'],
         'cells': ['{title}', '{off.share} ({off.range})', '{on.of}, {on.s:.1f} s']}


# The files and pages of this checkout.


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_every_file_has_all_fields_and_its_intervals_are_right(path: Path) -> None:
    values = checked(path.stem, json.loads(path.read_text('utf-8')))
    assert values['date'] is None or re.fullmatch(r'\d{4}-\d\d-\d\d', values['date'])
    assert values['commit'] is None or COMMIT.fullmatch(values['commit'])
    assert values['carried_over'] or (values['commit'] and values['date'])
    for one in values['lines']:
        if one['k'] is None:
            assert one['low'] is one['high'] is None, one
        else:
            assert (one['low'], one['high']) == pytest.approx(
                wilson(one['k'], one['n']), abs=6e-5), one


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_no_file_names_a_host_or_a_path_of_a_machine(path: Path) -> None:
    command = json.loads(path.read_text('utf-8'))['command'] or ''
    assert not re.search(r'(^|[\s=])[/~]', command)


@pytest.mark.parametrize('page', pages(), ids=lambda page: page.name)
def test_the_tables_of_a_page_are_those_of_the_files(page: Path) -> None:
    assert page_text(page, entries(), read_all()) == page.read_text('utf-8'), (
        'make numbers ARGS=tables')


def test_every_number_in_the_table_of_the_readme_comes_from_a_file() -> None:
    readme = (ROOT / 'README.md').read_text('utf-8')
    assert '<!-- numbers: readme -->' in readme
    lines = entries()['readme']['lines']
    assert lines
    for cells in lines:
        typed = re.sub(r'\{[^}]*\}|\]\([^)]*\)', '', ' '.join(cells))
        assert not re.search(r'\d', typed), f'typed by hand: {typed}'


@pytest.mark.parametrize('page', [ROOT / 'README.md', *sorted((ROOT / 'docs').rglob('*.md')),
                                  *sorted(ROOT.glob('plugins/*/README.md'))],
                         ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_result_was_typed_by_hand(page: Path) -> None:
    typed = [one for one in typed_results(page.read_text('utf-8'))
             if (page.name, one) not in STILL_TYPED]
    assert not typed, ('make it from a file of docs/numbers, or say it in words '
                       f'(CONTRIBUTING.md, "Write a page"): {typed}')


@pytest.mark.parametrize(('text', 'found'), [
    ('| a cup | **19 of 20** |', ['19 of 20']),
    ('On other seeds 1,300 of the\n1,300 tasks work.', ['1,300 of the 1,300']),
    ('All work: six of six, and five of 50.', ['six of six', 'five of 50']),
    ('The cause is right in 98 % of 350 tasks.', ['98 % of 350']),
    ('It reads 365 (84.7 %) as meant.', ['365 (84.7 %']),
    ('It works in 40 <!-- numbers: {cups[all].on.of} -->40 of 40<!-- end --> times.', []),
    ('It says "slipped in 14 of 16", and `2 of 3`.\n\n    step 2 of 3\n', []),
    ('It prints\n\n```text\n1 of 2\n```\n', []),
    ('Bars of 30 of them, nine of ten grains, 25 % of its force, one of 10 mm.', []),
])
def test_a_typed_result_is_found_in_tables_and_sentences(text: str, found: list[str]) -> None:
    assert typed_results(text) == found


def test_every_file_and_every_entry_is_shown_on_a_page() -> None:
    known = entries()
    shown = ' '.join([*(match[1] for page in pages()
                        for match in MARKED.finditer(page.read_text('utf-8'))),
                      *(str(entry.get('lines', entry.get('file'))) for entry in known.values())])
    named = {*known, *(values['name'] for values in read_all().values())}
    assert [name for name in sorted(named) if not re.search(rf'\b{name}\b', shown)] == []


def test_what_can_be_run_says_how_long_it_takes_in_every_size() -> None:
    for name, entry in entries().items():
        if 'bench' in entry:
            assert entry['cpu_s'] > 0 and set(entry['n']) <= {'small', 'medium', 'full'}, name
    small = running.orders(entries(), list(entries()), 'small', 1, None)
    assert small and sum(order.cpu_s for order in small) < 15 * 60


# How a table is made.


def test_a_table_shows_rates_texts_and_where_it_was_measured() -> None:
    entry = {**SHOWN, 'rows': {'tall': {'title': 'a tall one'}, 'flat': {}}}
    assert table('cups', entry, {'cups': CUPS}) == (
        '| cup | off | on |\n| --- | --- | --- |\n'
        '| a tall one | 50 % (35–65) | 40 of 40, not recorded s |\n'
        '| flat | – (–) | 9 of 10, 2.0 s |\n\n'
        '*Measured 2026-11-19, commit 12345678, x86_64, 2 cores ([data](numbers/cups.json)).*')


def test_what_was_carried_over_says_that_it_is_older_than_the_code() -> None:
    old = {**CUPS, 'carried_over': True, 'commit': None, 'machine': None, 'date': '2026-11-15'}
    note = table('cups', SHOWN, {'cups': old}).splitlines()[-1]
    assert note == ('*Of 2026-11-15, older than the code: commit not recorded, machine not '
                    'recorded ([data](numbers/cups.json)).*')


@pytest.mark.parametrize(('other', 'is_told'), [
    ({}, True), ({'date': '2026-11-18'}, False), ({'commit': CUPS['commit']}, False)])
def test_a_smaller_run_of_later_code_is_told_below(other: dict[str, Any], is_told: bool) -> None:
    few = file(line('tall', 'off', 2, 1), line('flat', 'off', 2, 2),
               **{'size': 'small', 'commit': 'abcdef12', **other})
    shown = table('cups', SHOWN, {'cups': CUPS, 'cups_small': few})
    assert ('A small part again: off 3 of 4 (2026-11-19, commit abcdef12, ' in shown) is is_told
    assert ('again' in shown) is is_told


def test_a_grid_shows_what_the_page_told_cell_by_cell() -> None:
    told = file(line('look', 'before', 7, None, value='60 ms'), line('look', 'now', 7, None,
                                                                    value='31 ms'),
                line('pick', 'now', 50, 48))
    assert table('cups', {'grid': ''}, {'cups': told}).splitlines()[2:4] == [
        '| look | 60 ms | 31 ms |', '| pick | – | 48 of 50 |']


def test_a_sentence_may_have_a_number_of_rows_together() -> None:
    text = 'It is <!-- numbers: {cups[tall+flat].on.of} -->typed<!-- end --> today.'
    new = filled(text, {}, {'cups': CUPS})
    assert new == 'It is <!-- numbers: {cups[tall+flat].on.of} -->49 of 50<!-- end --> today.'
    assert filled(new, {}, {'cups': CUPS}) == new


def test_a_table_that_somebody_edits_is_made_again() -> None:
    page = filled('a\n<!-- numbers: cups --><!-- end -->\nb', {'cups': SHOWN}, {'cups': CUPS})
    edited = page.replace('9 of 10', '10 of 10')
    assert edited != page and filled(edited, {'cups': SHOWN}, {'cups': CUPS}) == page


@pytest.mark.parametrize(('text', 'says'), [
    ('<!-- numbers: cups -->', 'has no `<!-- end -->`'),
    ('<!-- numbers: mugs --><!-- end -->', "no table 'mugs'; there are: cups"),
    ('<!-- numbers: {mugs[all].on.of} --><!-- end -->', "no 'mugs'; there are: cups"),
    ('<!-- numbers: {cups[wide].on.of} --><!-- end -->', 'no row wide; there are: tall, flat'),
    ('<!-- numbers: {cups[tall].up.of} --><!-- end -->',
     "no 'up' in {cups[tall].up.of}; there are: row, title, off, on"),
    ('<!-- numbers: {cups[tall].on.kg} --><!-- end -->',
     "no 'kg' in {cups[tall].on.kg}; there are: of, share"),
])
def test_a_wrong_name_is_told_with_the_right_ones(text: str, says: str) -> None:
    with pytest.raises(NumbersError, match=re.escape(says)):
        filled(text, {'cups': SHOWN}, {'cups': CUPS})


def test_a_file_that_lacks_a_field_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NumbersError, match=r'cups.json: no commit'):
        checked('cups', {key: value for key, value in CUPS.items() if key != 'commit'})
    with pytest.raises(NumbersError, match=r"row 'tall': no low"):
        checked('cups', file({'row': 'tall', 'column': '', 'n': 1, 'k': 1, 'high': 1.0}))
    with pytest.raises(NumbersError, match='a machine has architecture, cores, load'):
        write(file(machine={'architecture': 'x86_64', 'cores': 2, 'host': 'lab-7'}), tmp_path)
    assert not list(tmp_path.iterdir())


# How it is measured.

ENTRY = {'bench': ['--suite cups --rows tall'], 'n': {'small': 2, 'full': None}, 'cpu_s': 60,
         'default_n': 40}
REPORT = {'rows': [
    {'row': 'tall', 'title': 'a tall one', 'column': 'off', 'n': 2, 'successes': 1, 'low': 0.0,
     'high': 1.0, 'rate': 0.5, 'reasons': {'slip': 1}, 'wall_s': 0.123456, 'rad': float('nan')}],
    'episodes': [{'row': 'tall', 'column': 'off', 'cpu_s': 1.0},
                 {'row': 'tall', 'column': 'off', 'cpu_s': 2.0}]}


def order(**other: Any) -> running.Order:
    return running.Order('cups', {**ENTRY, **other}, 'small', 2)


def test_how_long_it_takes_is_said_before_it_begins(tmp_path: Path) -> None:
    todo = [order(), running.Order('plates', ENTRY, 'full', 2),
            running.Order('mugs', {**ENTRY, 'needs': {'no/such/file': 'fetch it'}}, 'full', 2)]
    assert list(running.announced(todo)) == [
        '  cups                 2 min', '  plates               40 min',
        '  mugs                 left out; first fetch it',
        '2 measurements: 42 min of processor time, about 21 min with 2 at a time if nothing else '
        'runs here. After Ctrl-C the same command goes on.']
    assert running.orders({'cups': ENTRY}, ['cups'], 'medium', 2, None) == []


def bench(monkeypatch: pytest.MonkeyPatch, code: int) -> list[list[str]]:
    """A bench that writes REPORT and ends with `code`; what it was asked."""
    asked: list[list[str]] = []

    def run(words: list[Any], **_: Any) -> SimpleNamespace:
        asked.append([str(word) for word in words[1:]])
        Path(words[-1]).write_text(json.dumps(REPORT), 'utf-8')
        return SimpleNamespace(wait=lambda: code)

    monkeypatch.setattr(running.subprocess, 'Popen', run)
    monkeypatch.setattr(running, 'code_commit', lambda: 'abcdef12')
    return asked


def test_a_run_becomes_a_file_with_its_commit(tmp_path: Path,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    asked = bench(monkeypatch, 0)
    made = running.measure(order(), 'abcdef12', tmp_path / 'kept', tmp_path)
    stem = tmp_path / 'kept' / 'abcdef12' / 'cups_small.1'
    assert asked == [['bench', '--suite', 'cups', '--rows', 'tall', '--n', '2', '--jobs', '2',
                      '--keep', f'{stem}.jsonl', '--json', f'{stem}.json']]
    assert made.name == 'cups_small.json'
    values = read_all(tmp_path)['cups_small']
    assert values['commit'] == 'abcdef12' and not values['carried_over']
    assert values['command'] == 'replan-agent bench --suite cups --rows tall --n 2'
    low, high = wilson(1, 2)
    assert values['lines'] == [
        {'row': 'tall', 'column': 'off', 'n': 2, 'k': 1, 'low': pytest.approx(low, abs=5e-5),
         'high': pytest.approx(high, abs=5e-5), 'episodes': 2, 'cpu_mean_s': 1.5,
         'title': 'a tall one', 'wall_s': 0.1235, 'rad': None}]


def test_what_is_counted_may_have_other_names(tmp_path: Path,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    solver = {'solver': 'dls', 'n': 8, 'feasible': 4, 'solved': 3}
    monkeypatch.setitem(REPORT, 'rows', [solver])
    monkeypatch.setitem(REPORT, 'episodes', [])
    bench(monkeypatch, 0)
    running.measure(order(counts=['solved', 'feasible']), 'abcdef12', tmp_path, tmp_path)
    (found,) = read_all(tmp_path)['cups_small']['lines']
    assert (found['row'], found['k'], found['n'], found['episodes']) == ('dls', 3, 4, 8)


def test_an_interrupted_or_failed_run_writes_no_file(tmp_path: Path,
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    bench(monkeypatch, 130)
    with pytest.raises(KeyboardInterrupt):
        running.measure(order(), 'abcdef12', tmp_path / 'kept', tmp_path)
    bench(monkeypatch, 2)
    with pytest.raises(NumbersError, match='bench --suite cups --rows tall --n 2` failed'):
        running.measure(order(), 'abcdef12', tmp_path / 'kept', tmp_path)
    bench(monkeypatch, 0)
    with pytest.raises(NumbersError, match='the code changed while it ran, from commit 99999999'):
        running.measure(order(), '99999999', tmp_path / 'kept', tmp_path)
    assert not list(tmp_path.glob('*.json'))


def test_code_that_is_not_committed_is_not_measured(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(['git', '-c', 'user.name=n', '-c', 'user.email=e', *words], cwd=tmp_path,
                       check=True, capture_output=True)

    with pytest.raises(NumbersError, match='only in a git checkout'):
        code_commit(tmp_path)
    git('init')
    (tmp_path / 'replan_agent').mkdir()
    (tmp_path / 'replan_agent' / 'code.py').write_text('1\n')
    with pytest.raises(NumbersError, match='not committed: replan_agent/'):
        code_commit(tmp_path)
    git('add', '.')
    git('commit', '-m', 'code')
    commit = code_commit(tmp_path)
    assert COMMIT.fullmatch(commit)
    (tmp_path / 'README.md').write_text('words\n')
    git('add', '.')
    git('commit', '-m', 'words')
    assert code_commit(tmp_path) == commit, 'words change no number'


def test_a_wrong_name_and_a_failed_measurement_are_told(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NumbersError, match='nothing is named mugs; there are: cups'):
        chosen(['mugs'], {'cups': ENTRY})

    def measure(*_: Any) -> Path:
        raise NumbersError('cups: it failed')

    monkeypatch.setattr(__main__, 'code_commit', lambda: 'abcdef12')
    monkeypatch.setattr(__main__, 'entries', lambda: {'cups': ENTRY})
    monkeypatch.setattr(__main__, 'measure', measure)
    monkeypatch.setattr(__main__, 'make_tables', lambda: None)
    assert __main__.main(['small', '--jobs', '1']) == 1
    told = capsys.readouterr()
    assert '1 measurements: 2 min' in told.out and 'cups: it failed' in told.err
    assert __main__.main(['small', '--only', 'mugs']) == 1
    assert 'there are: cups' in capsys.readouterr().err


def test_the_file_of_entries_is_where_the_help_says() -> None:
    assert ENTRIES.relative_to(ROOT).as_posix() in (__main__.__doc__ or '')
    assert file_name('cups', 'full') == 'cups' and file_name('cups', 'medium') == 'cups_medium'
