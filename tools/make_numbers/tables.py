"""Tables between `<!-- numbers: NAME -->` and `<!-- end -->`, and numbers inside sentences.

A cell is a template over the lines of a file: `{whole.of}` is "40 of 40" of the column `whole`
in this row, `{troubles[moved+slips].whole.share}` the share of two rows together, in any table.
`<!-- numbers: TEMPLATE -->` puts a template into a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Formatter
from types import SimpleNamespace
from typing import Any

from replan_agent_bench.stats import wilson

from .files import MACHINE_FIELDS, ROOT, SIZES, NumbersError, file_name

MARKED = re.compile(r'<!-- numbers: (.+?) -->(.*?)<!-- end -->', re.DOTALL)
NOT_RECORDED = 'not recorded'


class NotThere:
    """A column that this row does not have."""

    def __getattr__(self, name: str) -> NotThere:
        return self


def line(values: Mapping[str, Any]) -> SimpleNamespace:
    """The numbers of one row and column, and the texts made of them."""
    k, n, low, high = (values[field] for field in ('k', 'n', 'low', 'high'))
    of = share = span = interval = None
    if k is not None and n:
        of, share = f'{k} of {n}', f'{_short(100 * k / n)} %'
        span = f'{100 * low:.0f}–{100 * high:.0f}'
        interval = f'{_short(100 * low)} to {_short(100 * high)} %'
    return SimpleNamespace(**{'of': of, 'share': share, 'range': span, 'interval': interval,
                              'shown': of, **values, **({'shown': values['value']}
                                                        if 'value' in values else {})})


class File:
    """A file as templates see it: `file[row]`, `file[row+row]`, `file[all]`, `file.when`."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values, lines = values, values['lines']
        self.rows = list(dict.fromkeys(each['row'] for each in lines))
        self.columns = list(dict.fromkeys(each['column'] for each in lines))

    def __getitem__(self, names: str) -> SimpleNamespace:
        """A row, or several together: its columns by name; the numbers if it has no columns."""
        wanted = self.rows if names == 'all' and 'all' not in self.rows else names.split('+')
        if wrong := [name for name in wanted if name not in self.rows]:
            raise NumbersError(f'{self.values["name"]}: no row {", ".join(wrong)}; there are: '
                               f'{", ".join(self.rows)}')
        found = {column: [each for each in self.values['lines']
                          if each['row'] in wanted and each['column'] == column]
                 for column in self.columns}
        columns: dict[str, Any] = {
            column: line(_together(lines)) if lines else NotThere()
            for column, lines in found.items()}
        first = next(lines[0] for lines in found.values() if lines)
        alone = vars(columns.pop('')) if '' in columns else {}
        return SimpleNamespace(**{**alone, 'row': names,
                                  'title': first.get('title') or names, **columns})

    def cells(self, column: str) -> list[str]:
        """A column of a grid; `title` is its first one."""
        found = [getattr(self[row], column) for row in self.rows]
        return [Cells().format_field(cell if isinstance(cell, str) else cell.shown, '')
                for cell in found]

    @property
    def when(self) -> str:
        """The date, with the commit if it is known."""
        dates = sorted({each.get('date') or self.values['date'] or f'a date {NOT_RECORDED}'
                        for each in self.values['lines']})
        days = dates[0] if len(dates) == 1 else f'{dates[0]} to {dates[-1]}'
        return f'of {days}' if self.values['carried_over'] else (
            f'{days}, commit {self.values["commit"]}')

    @property
    def where(self) -> str:
        machine = self.values['machine'] or dict.fromkeys(MACHINE_FIELDS)
        if machine['architecture'] is None:
            return f'machine {NOT_RECORDED}'
        cores = f'{machine["cores"] or "unknown"} cores'
        load = f', load {machine["load"]}' if machine['load'] else ''
        return f'{machine["architecture"]}, {cores}{load}'

    @property
    def result(self) -> str:
        """All rows together, by column."""
        everything = vars(self['all'])
        lines = {column: everything['of'] if column == '' else everything[column].of
                 for column in self.columns}
        return ', '.join(f'{column} {of}'.strip() for column, of in lines.items() if of)

    def told(self, to_data: str, where: str | None = None, again: bool = False) -> str:
        """When and where it was measured, with the file; `where` if rows are of several places."""
        name, size = self.values['name'], self.values['size']
        data = f'[data]({to_data}{file_name(name, size)}.json)'
        if again:
            return f'A {size} part again: {self.result} ({self.when}, {self.where}; {data}).'
        if not self.values['carried_over']:
            return f'Measured {self.when}, {self.where} ({data}).'
        return (f'{self.when.capitalize()}, older than the code: commit '
                f'{self.values["commit"] or NOT_RECORDED}, {where or self.where} ({data}).')


class Cells(Formatter):
    """Fills in templates; what nobody knows reads `not recorded`, what is not there `–`."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if value is None:
            return NOT_RECORDED
        return '–' if isinstance(value, NotThere) else super().format_field(value, format_spec)

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        try:
            return super().get_field(field_name, args, kwargs)
        except KeyError as error:
            raise NumbersError(f'no {error.args[0]!r}; there are: {", ".join(kwargs)}') from None
        except AttributeError as error:
            raise NumbersError(f'no {error.name!r} in {{{field_name}}}; there are: '
                               f'{", ".join(vars(error.obj))}') from None


def _short(number: float) -> str:
    return f'{number:.1f}'.removesuffix('.0')


def _together(lines: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The sum of the rows; without a count in each of them it has none."""
    if len(lines) == 1:
        return lines[0]
    known = all(each['k'] is not None and each['n'] for each in lines)
    k, n = (sum(each[key] for each in lines) if known else None for key in ('k', 'n'))
    low, high = wilson(k, n) if k is not None and n else (None, None)
    means = [each['n'] * each['mean'] for each in lines if known and 'mean' in each]
    mean = {'mean': sum(means) / n} if n and len(means) == len(lines) else {}
    return {'n': n, 'k': k, 'low': low, 'high': high, **mean}


def files_of(name: str, files: Mapping[str, Mapping[str, Any]]) -> list[File]:
    """The file with the most episodes, then smaller ones of later code."""
    found = [File(files[stem]) for size in reversed(SIZES)
             if (stem := file_name(name, size)) in files]
    if not found:
        raise NumbersError(f'{name}: docs/numbers has no file of it; run '
                           f"`make numbers ARGS='--only {name}'`")
    first = found[0]
    return [first, *(each for each in found[1:]
                     if each.values['commit'] != first.values['commit']
                     and (each.values['date'] or '') >= (first.values['date'] or ''))]


def table(name: str, entry: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]],
          to_data: str = 'numbers/') -> str:
    """The table of an entry in Markdown, with a sentence on when and where it was measured."""
    cells, heads = Cells(), entry.get('heads', [])
    all_files = {stem: File(values) for stem, values in files.items()}
    if 'lines' in entry:
        rows = [[cells.vformat(cell, (), all_files) for cell in line] for line in entry['lines']]
        note = cells.vformat(entry.get('note', ''), (), all_files)
    else:
        file, *again = files_of(entry.get('file', name), files)
        if 'grid' in entry:
            heads = heads or [entry['grid'], *file.columns]
            rows = [*map(list, zip(*map(file.cells, ['title', *file.columns])))]
        else:
            rows = [[cells.vformat(cell, (), {**vars(file[row]), **(texts or {})})
                     for cell in entry['cells']]
                    for row, texts in (entry.get('rows') or dict.fromkeys(file.rows)).items()]
        note = ' '.join([file.told(to_data, entry.get('where')),
                         *(each.told(to_data, again=True) for each in again)])
    lines = [heads, ['---'] * len(heads), *rows]
    body = '\n'.join('|' + ''.join(f' {cell} |' if cell else ' |' for cell in line)
                     for line in lines)
    return f'{body}\n\n*{note}*' if note else body


def filled(text: str, entries: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]],
           to_data: str = 'numbers/') -> str:
    """The text of a page with what is between markers made again."""
    if text.count('<!-- numbers: ') != len(MARKED.findall(text)):
        raise NumbersError('a `<!-- numbers: ... -->` has no `<!-- end -->`')

    def made(match: re.Match[str]) -> str:
        what = match[1]
        if '{' in what:
            inside = Cells().vformat(what, (), {stem: File(v) for stem, v in files.items()})
        elif what in entries:
            inside = f'\n\n{table(what, entries[what], files, to_data)}\n\n'
        else:
            raise NumbersError(f'no table {what!r}; there are: {", ".join(entries)}')
        return f'<!-- numbers: {what} -->{inside}<!-- end -->'

    return MARKED.sub(made, text)


def pages(root: Path = ROOT) -> list[Path]:
    """All pages that have markers."""
    found = [root / 'README.md', *sorted((root / 'docs').rglob('*.md'))]
    return [page for page in found if '<!-- numbers: ' in page.read_text('utf-8')]


def page_text(page: Path, entries: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]],
              root: Path = ROOT) -> str:
    """What the page must say. A wrong marker or template raises NumbersError with the page."""
    up = '../' * (len(page.relative_to(root).parts) - 2)
    try:
        return filled(page.read_text('utf-8'), entries, files,
                      'docs/numbers/' if page.parent == root else f'{up}numbers/')
    except NumbersError as error:
        raise NumbersError(f'{page.relative_to(root)}: {error}') from None
