import { describe, expect, test } from 'vitest';
import { compareRuns, formatRows, listDrivers } from './comparison.ts';
import { formatGoals } from './goals.ts';
import type { TrialRun } from './run.ts';

function run(driver: TrialRun['driver'], figures: TrialRun['figures'], more: Partial<TrialRun> = {}): TrialRun {
  return { scenario: 'burst', count: 1000, driver, figures, startedAt: '', notes: [], ...more };
}

const RUNS: readonly TrialRun[] = [
  run('ours', { jobMax: 3, missed: 0, peakMiB: 200 }, { callsPerRun: { 'POST jobs': 1 } }),
  run('ours', { jobMax: 1, missed: 0, peakMiB: 200 }, { callsPerRun: { 'POST jobs': 1 } }),
  run('ours', { jobMax: 2, missed: 1, peakMiB: 200 }, { callsPerRun: { 'POST jobs': 1 } }),
  run('kubernetes', { jobMax: 4, missed: 0, peakMiB: 100 }, { callsPerRun: { 'POST jobs': 1, 'GET jobs': 0.5 } }),
  run('raw', { jobMax: 1, missed: 0, peakMiB: 300 }),
];

describe('runs side by side', () => {
  test('show medians and ratios, without counts of 0, and without memory for the plain client in a burst', () => {
    expect(compareRuns(RUNS).map((each) => formatRows(each, listDrivers(RUNS)))).toEqual([
      [
        ['', 'this operator', 'Kubernetes', 'plain client', 'ratio to Kubernetes', 'ratio to plain client'],
        ['Job created: last (s)', '2', '4', '1', '0.50', '2'],
        ['resident memory, peak (MiB)', '200', '100', '–', '2', ''],
        ['… GET jobs', '0', '0.50', '–', '', ''],
        ['… POST jobs', '1', '1', '–', '', ''],
      ],
    ]);
  });

  test('are one comparison for each scenario and number', () => {
    const other = run('ours', {}, { count: 100 });
    expect(compareRuns([...RUNS, other]).map(({ scenario, count }) => [scenario, count])).toEqual([
      ['burst', 1000],
      ['burst', 100],
    ]);
  });
});

describe('goals', () => {
  test('show the measured value, and whether it is enough', () => {
    expect(formatGoals(compareRuns(RUNS))).toEqual([
      ['Goal', 'at most', 'measured', 'met'],
      ['burst, 1,000 CronJobs: Job created: last', '1.15 × plain client', '2 × plain client', '**no**'],
      ['burst, 1,000 CronJobs: resident memory, peak', '125 MiB', '200 MiB', '**no**'],
      ['burst, 1,000 CronJobs: runs missed', '0', '0', 'yes'],
    ]);
  });
});
