import { describe, expect, test } from 'vitest';
import { cellsOf, comparisons, driversOf } from './comparison.ts';
import { goalCells } from './goals.ts';
import type { Run } from './run.ts';

function run(driver: Run['driver'], figures: Run['figures'], more: Partial<Run> = {}): Run {
  return { scenario: 'burst', count: 1000, driver, figures, startedAt: '', notes: [], ...more };
}

const RUNS: readonly Run[] = [
  run('ours', { jobMax: 3, missed: 0, peakMiB: 200 }, { callsPerRun: { 'POST jobs': 1 } }),
  run('ours', { jobMax: 1, missed: 0, peakMiB: 200 }, { callsPerRun: { 'POST jobs': 1 } }),
  run('ours', { jobMax: 2, missed: 1, peakMiB: 200 }, { callsPerRun: { 'POST jobs': 1 } }),
  run('kubernetes', { jobMax: 4, missed: 0, peakMiB: 100 }, { callsPerRun: { 'POST jobs': 1, 'GET jobs': 0.5 } }),
  run('raw', { jobMax: 1, missed: 0, peakMiB: 300 }),
];

describe('runs side by side', () => {
  test('show medians and ratios; of the plain client in a burst no memory', () => {
    expect(comparisons(RUNS).map((each) => cellsOf(each, driversOf(RUNS)))).toEqual([
      [
        ['', 'this operator', 'Kubernetes', 'plain client', 'ratio to Kubernetes', 'ratio to plain client'],
        ['Job created: last (s)', '2', '4', '1', '0.50', '2'],
        ['resident memory, peak (MiB)', '200', '100', '–', '2', ''],
        ['runs missed', '0', '0', '0', '', ''],
        ['… GET jobs', '0', '0.50', '–', '', ''],
        ['… POST jobs', '1', '1', '–', '', ''],
      ],
    ]);
  });

  test('are one comparison for each scenario and number', () => {
    const other = run('ours', {}, { count: 100 });
    expect(comparisons([...RUNS, other]).map(({ scenario, count }) => [scenario, count])).toEqual([
      ['burst', 1000],
      ['burst', 100],
    ]);
  });
});

describe('goals', () => {
  test('say what is measured, and whether that is enough', () => {
    expect(goalCells(comparisons(RUNS))).toEqual([
      ['Goal', 'at most', 'measured', 'met'],
      ['burst, 1,000 CronJobs: Job created: last', '1.3 × plain client', '2 × plain client', '**no**'],
      ['burst, 1,000 CronJobs: resident memory, peak', '1 × Kubernetes', '2 × Kubernetes', '**no**'],
      ['burst, 1,000 CronJobs: runs missed', '0', '0', 'yes'],
    ]);
  });
});
