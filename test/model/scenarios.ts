/** The scenarios that `npm run model` explores under each concurrencyPolicy. */
import { EMPTY_BUDGET, type ModelScenario } from './budget.ts';

/** Two slots before the creation of the CronJob. */
const BACKFILL = {
  startTime: '2025-12-31T23:58:00Z',
  endTime: '2026-01-01T00:00:00Z',
  order: 'OldestFirst',
  maxConcurrentRuns: 1,
  limit: 10,
} as const;

export const SCENARIOS: Readonly<Record<string, ModelScenario>> = {
  runs: {
    spec: {},
    budget: { ...EMPTY_BUDGET, steps: 3, faults: 1, crashes: 1, finishes: 2, deletions: 1, suspends: 1, crowds: 1 },
  },
  deadline: {
    spec: { startingDeadlineSeconds: 20 },
    stepMs: 30_000,
    budget: { ...EMPTY_BUDGET, steps: 6, faults: 1, crashes: 1, finishes: 1, suspends: 1 },
  },
  outage: {
    spec: {},
    budget: { ...EMPTY_BUDGET, steps: 2, outages: 1, faults: 1, crashes: 1, finishes: 1, suspends: 1 },
  },
  'hand-over': {
    spec: {},
    budget: { ...EMPTY_BUDGET, steps: 2, faults: 1, handOvers: 1, finishes: 1, deletions: 1, suspends: 1 },
  },
  'run-now': {
    spec: {},
    runNow: 'from the manifest',
    budget: { ...EMPTY_BUDGET, steps: 2, faults: 1, crashes: 1, finishes: 2, deletions: 1, runNows: 2, crowds: 1 },
  },
  pause: {
    spec: { pauseAfterFailures: 1 },
    budget: { ...EMPTY_BUDGET, steps: 3, faults: 1, crashes: 1, finishes: 2, deletions: 1, runNows: 1, resumes: 1 },
  },
  'start-timeout': {
    spec: { startTimeoutSeconds: 20 },
    stepMs: 30_000,
    budget: { ...EMPTY_BUDGET, steps: 5, faults: 1, crashes: 1, starts: 1, finishes: 1, deletions: 1, handOvers: 1 },
  },
  clock: {
    spec: {},
    stepMs: 30_000,
    budget: { ...EMPTY_BUDGET, steps: 5, faults: 1, crashes: 1, finishes: 1, clocks: 2, reschedules: 1 },
  },
  stranger: {
    spec: {},
    budget: { ...EMPTY_BUDGET, steps: 2, faults: 1, crashes: 1, finishes: 1, deletions: 1, strangers: 1 },
  },
  'catch-up': {
    spec: { catchUpPolicy: 'All' },
    budget: { ...EMPTY_BUDGET, steps: 4, outages: 1, faults: 1, crashes: 1, finishes: 2, suspends: 1 },
  },
  exclusion: {
    spec: { exclude: [{ schedule: '2,3 * * * *' }] },
    budget: { ...EMPTY_BUDGET, steps: 4, faults: 1, crashes: 1, finishes: 2, suspends: 1, handOvers: 1 },
  },
  jitter: {
    spec: { jitterSeconds: 30, startingDeadlineSeconds: 50 },
    stepMs: 30_000,
    budget: { ...EMPTY_BUDGET, steps: 5, faults: 1, crashes: 1, handOvers: 1, finishes: 1, suspends: 1 },
  },
  window: {
    spec: {
      schedule: '*/2 * * * *',
      schedules: ['1-59/2 * * * *'],
      startTime: '2026-01-01T00:02:00Z',
      endTime: '2026-01-01T00:04:00Z',
    },
    budget: { ...EMPTY_BUDGET, steps: 5, faults: 1, crashes: 1, finishes: 1, suspends: 1 },
  },
  limit: {
    spec: { maxConcurrentRuns: 2 },
    budget: { ...EMPTY_BUDGET, steps: 4, faults: 1, crashes: 1, finishes: 2, terminations: 1, deletions: 1 },
  },
  termination: {
    spec: { successfulJobsHistoryLimit: 0 },
    budget: { ...EMPTY_BUDGET, steps: 3, faults: 1, handOvers: 1, finishes: 2, terminations: 2, deletions: 1 },
  },
  request: {
    spec: {},
    request: { manual: {} },
    budget: {
      ...EMPTY_BUDGET,
      steps: 1,
      faults: 1,
      handOvers: 1,
      finishes: 2,
      deletions: 1,
      requestEdits: 1,
      removals: 1,
    },
  },
  backfill: {
    spec: {},
    request: { backfill: BACKFILL },
    budget: { ...EMPTY_BUDGET, steps: 1, faults: 1, crashes: 1, finishes: 2, deletions: 1, requestEdits: 2 },
  },
  removal: {
    spec: {},
    runNow: 'from the manifest',
    budget: { ...EMPTY_BUDGET, steps: 2, faults: 1, crashes: 1, finishes: 1, removals: 1, runNows: 1 },
  },
};
