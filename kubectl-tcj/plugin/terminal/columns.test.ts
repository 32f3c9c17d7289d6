import { describe, expect, test } from 'vitest';
import { type Column, formatColumns } from './columns.ts';
import { measureWidth } from './measure-width.ts';

const createHeaders = (...names: readonly string[]) => names.map((header) => ({ header }));

test('separates columns by three spaces, without trailing spaces', () => {
  expect(
    formatColumns(createHeaders('NAME', 'STATE', 'WHY'), [
      ['a', 'Suspended', ''],
      ['a-long-name', 'OK', undefined],
      ['b', 'OK', 'fine'],
    ]),
  ).toBe(
    [
      'NAME          STATE       WHY',
      'a             Suspended   <none>',
      'a-long-name   OK          <none>',
      'b             OK          fine',
      '',
    ].join('\n'),
  );
});

test('measures characters by their width on the screen', () => {
  expect(
    formatColumns(createHeaders('A', 'B'), [
      ['😀', 'x'],
      ['ab', 'y'],
    ]),
  ).toBe('A    B\n😀   x\nab   y\n');
});

describe('on a screen', () => {
  const columns: readonly Column[] = [
    { header: 'NAME' },
    { header: 'RUN', fit: 'cut' },
    { header: 'ZONE', fit: 'cut', minWidth: 6 },
  ];
  const row = ['some-name', 'Failed long ago', 'Europe/Berlin'];

  test('truncates the widest column first, with …', () => {
    expect(formatColumns(columns, [row], 43)).toBe(
      'NAME        RUN               ZONE\nsome-name   Failed long ago   Europe/Berlin\n',
    );
    expect(formatColumns(columns, [row], 36)).toBe(
      'NAME        RUN           ZONE\nsome-name   Failed lon…   Europe/Be…\n',
    );
  });

  test('truncates columns from left to right', () => {
    const ordered = columns.map((column) => ({ ...column, ...(column.header === 'RUN' && { shrinkOrder: 1 }) }));
    expect(formatColumns(ordered, [row], 36)).toBe(
      'NAME        RUN               ZONE\nsome-name   Failed long ago   Europ…\n',
    );
    expect(formatColumns(ordered, [row], 30)).toBe('NAME        RUN         ZONE\nsome-name   Failed l…   Europ…\n');
  });

  test('puts a name that does not fit on a separate line', () => {
    const long = ['a-name-that-is-never-cutoff', 'Failed', 'UTC'];
    expect(formatColumns(columns, [['short', 'OK', 'UTC'], long], 30)).toBe(
      ['NAME    RUN      ZONE', 'short   OK       UTC', 'a-name-that-is-never-cutoff', '        Failed   UTC', ''].join(
        '\n',
      ),
    );
  });

  test('wraps prose in its column, or below the row if the column is narrow', () => {
    const prose: readonly Column[] = [{ header: 'NAME' }, { header: 'WHY', fit: 'prose' }];
    const words = 'one two three four five six seven eight nine';
    expect(
      formatColumns(
        prose,
        [
          ['a', words],
          ['b', '-'],
        ],
        40,
      ),
    ).toBe('NAME   WHY\na      one two three four five six seven\n       eight nine\nb      -\n');
    expect(
      formatColumns(
        prose,
        [
          ['a', words],
          ['b', '-'],
        ],
        30,
      ),
    ).toBe('NAME\na\n    one two three four five\n    six seven eight nine\nb\n');
  });

  test('truncates before a wide character that does not fit', () => {
    expect(formatColumns([{ header: 'A', fit: 'cut' }], [['日本語日本語']], 8)).toBe('A\n日本語…\n');
  });

  test('truncates a column with shouldKeepEnds in the middle, if it does not fit', () => {
    const zones: readonly Column[] = [{ header: 'NAME' }, { header: 'ZONE', fit: 'cut', shouldKeepEnds: true }];
    const rows = [
      ['a', 'Europe/Berlin'],
      ['b', 'Europe/Dublin'],
    ];
    expect(formatColumns(zones, rows, 17)).toBe('NAME   ZONE\na      Europ…rlin\nb      Europ…blin\n');
    expect(formatColumns(zones, rows, 20)).toBe('NAME   ZONE\na      Europe/Berlin\nb      Europe/Dublin\n');
  });

  test.each(Array.from({ length: 60 }, (_, index) => index + 30))(
    'has no wider line on a screen of %i columns',
    (width) => {
      const rows = [
        row,
        ['日本-名前', 'Succeeded 5m30s ago', 'America/Argentina/ComodRivadavia'],
        ['x'.repeat(29), 'OK', 'UTC'],
      ];
      const lines = formatColumns(columns, rows, width).split('\n');
      expect(lines.filter((line) => measureWidth(line) > width)).toEqual([]);
      expect(lines.join()).toContain('x'.repeat(29));
    },
  );

  test('ignores colours in widths, and turns line breaks into spaces', () => {
    const paint = (text: string) => `<${text}>`;
    expect(formatColumns(columns, [[{ text: 'a', paint }, 'b\nc', 'd']])).toBe('NAME   RUN   ZONE\n<a>      b c   d\n');
  });
});
