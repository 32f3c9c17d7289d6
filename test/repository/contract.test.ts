/** docs/contract.md names the test of each rule; these names must exist. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listTestNames, type NamedTest, parseNamedTests } from './named-tests.ts';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/contract.md'), 'utf8');

interface ContractRow {
  readonly rule: string;
  readonly tests: readonly NamedTest[];
}

const rows: readonly ContractRow[] = page
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, rule, shownBy]) => rule !== undefined && shownBy?.startsWith('`'))
  .map(([, rule = '', shownBy = '']) => ({ rule, tests: parseNamedTests(shownBy) }));

test('the page has rules', () => {
  expect(rows.length).toBeGreaterThan(50);
});

test.each(rows)('names existing tests: $rule', ({ tests }) => {
  for (const { file, name } of tests) expect(listTestNames(file), `${file}: ${name}`).toContain(name);
});

test.each(rows.filter(({ rule }) => rule.includes('**better**')))(
  'a rule marked **better** has a test with that name: $rule',
  ({ tests }) => {
    expect(tests.some(({ name }) => name.startsWith('better: '))).toBe(true);
  },
);
