import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../../test/support/manifests.ts';
import { run } from '../control-plane/run.ts';
import { replacePlantedFaults } from '../docs/reliability-tables.ts';
import { readPlantedFaults } from './planted-faults.ts';

const faults = readPlantedFaults();
const MANAGER_SOURCE = /^(api|cmd|controllers|runtime|schedule)\/(?!.*\.test\.ts$).+\.ts$/;

test('each fault has its own number, and there are enough faults to judge a suite', () => {
  const numbers = faults.map(({ name }) => /^\d\d(?=-)/.exec(name)?.[0]);
  expect(new Set(numbers).size).toBe(faults.length);
  expect(faults.length).toBeGreaterThanOrEqual(20);
});

test.each(faults)('$name applies, and is a small change of the manager', async ({ path, diff }) => {
  // Works also where the project is not in a repository, or is inside of another one.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(PROJECT) };
  await run('git', ['apply', '--check', path], { cwd: PROJECT, env });
  expect(diff.match(/^[+-](?![+-]{2} )/gm)?.length).toBeLessThanOrEqual(15);
  for (const [, file] of diff.matchAll(/^(?:--- a|\+\+\+ b)\/(.+)$/gm)) expect(file).toMatch(MANAGER_SOURCE);
});

test('docs/reliability.md has the number of faults that each suite finds: make reliability', () => {
  const page = readFileSync(join(PROJECT, 'docs/reliability.md'), 'utf8');
  expect(replacePlantedFaults(page, faults)).toBe(page);
});
