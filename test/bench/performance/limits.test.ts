import { expect, test } from 'vitest';
import { compareWithLimits, isDisturbed, type TrialPair } from './limits.ts';
import type { TrialRun } from './run.ts';

const run = (driver: TrialRun['driver'], figures: TrialRun['figures'], notes: readonly string[] = []): TrialRun => ({
  scenario: 'burst',
  count: 500,
  driver,
  startedAt: '2026-01-01T00:00:00Z',
  figures,
  notes,
});
const pair = (ours: TrialRun['figures'], notes?: readonly string[]): TrialPair => ({
  raw: run('raw', { jobMax: 1, cpuPer1000: 1, calls: 2 }),
  ours: run('ours', { jobMax: 1, cpuPer1000: 1, calls: 2, ...ours }, notes),
});

test('one pair within the limits is enough', () => {
  expect(compareWithLimits([pair({ jobMax: 10 }), pair({})])).toEqual([]);
});

test.each([
  ['jobMax', 'the time until the last Job'],
  ['cpuPer1000', 'the CPU of the controller'],
  ['calls', 'the number of API calls'],
] as const)('a figure that is too high in each pair is a problem: %s', (figure, start) => {
  const problems = compareWithLimits([pair({ [figure]: 10 }), pair({ [figure]: 9 })]);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(new RegExp(`^${start}.* is 9\\.00; the recorded value`));
});

test('a figure that is missing is a problem', () => {
  expect(compareWithLimits([pair({ jobMax: Number.NaN })])).toHaveLength(1);
});

test('a run with notes is disturbed', () => {
  expect([pair({}), pair({}, ['disturbed'])].map(isDisturbed)).toEqual([false, true]);
});
