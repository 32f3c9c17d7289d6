import { describe, expect, test } from 'vitest';
import { type Column, formatColumns } from './columns.ts';
import { measureWidth } from './width.ts';

const heads = (...names: readonly string[]) => names.map((head) => ({ head }));

test('columns are three spaces apart, and no line ends with spaces', () => {
  expect(
    formatColumns(heads('NAME', 'STATE', 'WHY'), [
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

test('what a character takes on a screen counts, not code units', () => {
  expect(
    formatColumns(heads('A', 'B'), [
      ['😀', 'x'],
      ['ab', 'y'],
    ]),
  ).toBe('A    B\n😀   x\nab   y\n');
});

describe('on a screen', () => {
  const head: readonly Column[] = [{ head: 'NAME' }, { head: 'RUN', fit: 'cut' }, { head: 'ZONE', fit: 'cut', min: 6 }];
  const row = ['some-name', 'Failed long ago', 'Europe/Berlin'];

  test('the widest column is cut first, and what is cut ends with …', () => {
    expect(formatColumns(head, [row], 43)).toBe(
      'NAME        RUN               ZONE\nsome-name   Failed long ago   Europe/Berlin\n',
    );
    expect(formatColumns(head, [row], 36)).toBe(
      'NAME        RUN           ZONE\nsome-name   Failed lon…   Europe/Be…\n',
    );
  });

  test('a column that matters less gives way first, and the next one when that is not enough', () => {
    const ordered = head.map((column) => ({ ...column, ...(column.head === 'RUN' && { order: 1 }) }));
    expect(formatColumns(ordered, [row], 36)).toBe(
      'NAME        RUN               ZONE\nsome-name   Failed long ago   Europ…\n',
    );
    expect(formatColumns(ordered, [row], 30)).toBe('NAME        RUN         ZONE\nsome-name   Failed l…   Europ…\n');
  });

  test('a name that has no room is on a line of its own, and leaves its room to the others', () => {
    const long = ['a-name-that-nobody-may-cut', 'Failed', 'UTC'];
    expect(formatColumns(head, [['short', 'OK', 'UTC'], long], 30)).toBe(
      ['NAME    RUN      ZONE', 'short   OK       UTC', 'a-name-that-nobody-may-cut', '        Failed   UTC', ''].join(
        '\n',
      ),
    );
  });

  test('prose goes on in its column, or below the row where that is narrow', () => {
    const prose: readonly Column[] = [{ head: 'NAME' }, { head: 'WHY', fit: 'prose' }];
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

  test('wide characters are cut before they stick out', () => {
    expect(formatColumns([{ head: 'A', fit: 'cut' }], [['日本語日本語']], 8)).toBe('A\n日本語…\n');
  });

  test('a column that keeps its ends has … in the middle, and all of its cells where there is room', () => {
    const zones: readonly Column[] = [{ head: 'NAME' }, { head: 'ZONE', fit: 'cut', keepsEnds: true }];
    const rows = [
      ['a', 'Europe/Berlin'],
      ['b', 'Europe/Dublin'],
    ];
    expect(formatColumns(zones, rows, 17)).toBe('NAME   ZONE\na      Europ…rlin\nb      Europ…blin\n');
    expect(formatColumns(zones, rows, 20)).toBe('NAME   ZONE\na      Europe/Berlin\nb      Europe/Dublin\n');
  });

  test.each(Array.from({ length: 60 }, (_, index) => index + 30))('of %i columns, no line is wider', (width) => {
    const rows = [
      row,
      ['日本-名前', 'Succeeded 5m30s ago', 'America/Argentina/ComodRivadavia'],
      ['x'.repeat(29), 'OK', 'UTC'],
    ];
    const lines = formatColumns(head, rows, width).split('\n');
    expect(lines.filter((line) => measureWidth(line) > width)).toEqual([]);
    expect(lines.join()).toContain('x'.repeat(29));
  });

  test('colours take no room, and a line break in a cell is a space', () => {
    const paint = (text: string) => `<${text}>`;
    expect(formatColumns(head, [[{ text: 'a', paint }, 'b\nc', 'd']])).toBe('NAME   RUN   ZONE\n<a>      b c   d\n');
  });
});
