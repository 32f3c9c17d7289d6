/** docs/contract.md names the test of each rule; these names must exist. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type NamedTest, namesIn, testsNamedIn } from './named-tests.ts';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/contract.md'), 'utf8');

interface Row {
  readonly rule: string;
  readonly tests: readonly NamedTest[];
}

const rows: readonly Row[] = page
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, rule, shownBy]) => rule !== undefined && shownBy?.startsWith('`'))
  .map(([, rule = '', shownBy = '']) => ({ rule, tests: testsNamedIn(shownBy) }));

test('the page has its rules', () => {
  expect(rows.length).toBeGreaterThan(50);
});

test.each(rows)('is shown by tests that exist: $rule', ({ tests }) => {
  for (const { file, name } of tests) expect(namesIn(file), `${file}: ${name}`).toContain(name);
});

test.each(rows.filter(({ rule }) => rule.includes('**better**')))(
  'a place where we are better has a test named so: $rule',
  ({ tests }) => {
    expect(tests.some(({ name }) => name.startsWith('better: '))).toBe(true);
  },
);
