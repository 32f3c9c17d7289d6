import { expect, test } from 'vitest';
import { withPlanted, withTables } from './reliability-tables.ts';

const PAGE = '# Page\n\n<!-- results: make reliability -->\nold\n<!-- end of results -->\n\nmore\n';
const PLANTED = '<!-- planted faults: make reliability -->\nold\n<!-- end of planted faults -->\n';

test('the tables take the place of the old ones, in the order of the suites', () => {
  const page = withTables(PAGE, [
    {
      suite: 'api-server',
      rows: [{ fault: '500', times: 1, runs: { allow: 3 }, recoveredAfterSeconds: 1.5, requestsPerSecond: 20 }],
    },
    { suite: 'crash', rows: [{ fault: 'killed', times: 2, runs: { forbid: 4 } }] },
  ]);
  expect(page).toContain('| killed | 2     | 4            |');
  expect(page).toContain('| 500   | 1     | 3           | 1.5 s            | 20                |');
  expect(page.indexOf('killed')).toBeLessThan(page.indexOf('500'));
  expect(page).not.toContain('old');
  expect(page.endsWith('<!-- end of results -->\n\nmore\n')).toBe(true);
});

test('what must not grow is listed with the first and the last value', () => {
  const page = withTables(PAGE, [
    {
      suite: 'soak',
      rows: [{ fault: 'all', times: 3, runs: { allow: 9 } }],
      figures: [{ name: 'heap, MiB', first: 20.04, last: 21.456 }],
    },
  ]);
  expect(page).toContain('| By a linear fit | First | Last |');
  expect(page).toContain('| heap, MiB       | 20    | 21.5 |');
});

test('a page without a place for them is refused', () => {
  expect(() => withTables('# Page\n', [])).toThrow('has no <!-- results');
});

test('planted faults are listed with the suite that has found them', () => {
  const page = withPlanted(PAGE + PLANTED, [
    { name: '01-a', fault: 'A `<b>` is | lost.', foundBy: 'crash' },
    { name: '02-b', fault: 'Another.' },
  ]);
  expect(page).toContain('1 of 2 were found:\n\n| Planted fault');
  expect(page).toContain('| A `<b>` is \\| lost. | crash         |');
  expect(page).toContain('| Another.            | **not found** |');
  expect(page.startsWith(PAGE)).toBe(true);
});

test('a page without a place for planted faults is refused', () => {
  expect(() => withPlanted(PAGE, [])).toThrow('has no <!-- planted faults');
});
