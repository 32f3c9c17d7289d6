import { expect, test } from 'vitest';
import { columns } from './columns.ts';

test('columns are three spaces apart, and no line ends with spaces', () => {
  expect(
    columns(
      ['NAME', 'STATE', 'WHY'],
      [
        ['a', 'Suspended', ''],
        ['a-long-name', 'OK', undefined],
        ['b', 'OK', 'fine'],
      ],
    ),
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

test('characters count, not code units', () => {
  expect(
    columns(
      ['A', 'B'],
      [
        ['😀', 'x'],
        ['ab', 'y'],
      ],
    ),
  ).toBe('A    B\n😀    x\nab   y\n');
});
