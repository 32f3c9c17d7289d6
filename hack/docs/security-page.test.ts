/** docs/security.md names the test of each claim, or says that there is none. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { namesIn, testsNamedIn } from './named-tests.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/security.md'), 'utf8');

/** Cells of the rows of tables whose last column is "Shown by". */
const claims: readonly (readonly string[])[] = page
  .split(/\n{2,}/)
  .filter((block) => /^\|.*\| Shown by +\|$/m.test(block))
  .flatMap((table) => table.trim().split('\n').slice(2))
  .map((row) => row.split('|').map((cell) => cell.trim()))
  .map((cells) => cells.slice(1, -1));

test('the page has its claims', () => {
  expect(claims.length).toBeGreaterThan(25);
});

test.each(claims.map((cells) => ({ claim: cells.slice(0, -1).join(': '), shownBy: cells.at(-1) ?? '' })))(
  'is shown by tests that exist, or has none: $claim',
  ({ shownBy }) => {
    if (/^no test: .+/.test(shownBy)) return;
    for (const { file, name } of testsNamedIn(shownBy)) {
      expect(file, shownBy).not.toBe('');
      expect(namesIn(file), `${file}: ${name}`).toContain(name);
    }
  },
);

describe.each([
  'An attacker in some Pod',
  'A tenant, who may create CronJobs in a namespace',
  'A namespace administrator',
  "A thief of the manager's token",
])('%s', (heading) => {
  test('has a section that says what is left', () => {
    const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
    expect(section).toContain('Left: ');
  });
});
