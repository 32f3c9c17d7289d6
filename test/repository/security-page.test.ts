/** docs/security.md names the tests of each claim, or says that it has no test. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');

/** Cells of the rows of tables whose last column is "Shown by". */
function parseClaims(text: string): readonly (readonly string[])[] {
  return text
    .split(/\n{2,}/)
    .filter((block) => /^\|.*\| Shown by +\|$/m.test(block))
    .flatMap((table) => table.trim().split('\n').slice(2))
    .map((row) => row.split('|').map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1));
}

const claims = parseClaims(page);

test('the page has its claims', () => {
  expect(claims.length).toBeGreaterThan(45);
});

test.each(claims.map((cells) => ({ claim: cells.slice(0, -1).join(': '), shownBy: cells.at(-1) ?? '' })))(
  'names existing tests, or says why it has no test: $claim',
  ({ shownBy }) => {
    expect(shownBy).toMatch(/^no test: .|^`[^`]+\.test\.ts`(, `[^`]+\.test\.ts`)*$/);
  },
);

test('the page names tests only under "Shown by", where another test checks the names', () => {
  const named = page.match(/[\w./-]+\.test\.ts/g) ?? [];
  const checked = claims.flatMap((cells) => cells.at(-1)?.match(/[\w./-]+\.test\.ts/g) ?? []);
  expect(named.toSorted()).toEqual(checked.toSorted());
});

test('the page names only existing files and folders', () => {
  const named = [...page.matchAll(/`((?:api|cmd|config|controllers|docs|hack|kubectl-tcj|runtime|test)\/[\w./-]+)`/g)];
  expect(named.length).toBeGreaterThan(40);
  expect(named.map(([, path = '']) => path).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

const SECTIONS = [
  'Close the ports',
  'An attacker in some Pod',
  'A tenant who may create CronJobs in a namespace',
  'A namespace administrator',
  'Other users with permissions',
  "A thief of the manager's token",
  'Metrics',
  'The Pod',
  'Port 9443',
];

test.each(SECTIONS)('%s: the section has a table of claims, which names the remaining risks', (heading) => {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
  expect(parseClaims(section).flat().join('\n')).toContain('Risk: ');
});
