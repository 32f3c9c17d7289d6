import { expect, test } from 'vitest';
import { totalOf } from './audit.ts';

test.each([
  [0, 'without faults'],
  [2, 'with faults'],
])('a report says how many faults there are: %i', (total) => {
  expect(totalOf(JSON.stringify({ vulnerabilities: {}, metadata: { vulnerabilities: { info: 0, total } } }))).toBe(
    total,
  );
});

test.each([
  ['refuses the question', JSON.stringify({ message: '405', statusCode: 405, body: '' })],
  ['cannot be reached', JSON.stringify({ error: { code: 'ENOTFOUND', summary: 'nobody' } })],
  ['answers what is no JSON', '<html></html>'],
  ['says nothing', ''],
])('a registry that %s is never a pass', (_name, output) => {
  expect(totalOf(output)).toBeUndefined();
});
