/** The scenarios that `npm run model` explores under each concurrencyPolicy. */
import { NOTHING, type Scenario } from './budget.ts';

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  runs: {
    spec: {},
    budget: { ...NOTHING, steps: 3, faults: 1, crashes: 1, finishes: 2, deletions: 1, suspends: 1, crowds: 1 },
  },
  deadline: {
    spec: { startingDeadlineSeconds: 20 },
    stepMs: 30_000,
    budget: { ...NOTHING, steps: 6, faults: 1, crashes: 1, finishes: 1, suspends: 1 },
  },
  outage: {
    spec: {},
    budget: { ...NOTHING, steps: 2, outages: 1, faults: 1, crashes: 1, finishes: 1, suspends: 1 },
  },
  'hand-over': {
    spec: {},
    budget: { ...NOTHING, steps: 2, faults: 1, handOvers: 1, finishes: 1, deletions: 1, suspends: 1 },
  },
  'run-now': {
    spec: {},
    runNow: 'from the manifest',
    budget: { ...NOTHING, steps: 2, faults: 1, crashes: 1, finishes: 2, deletions: 1, runNows: 2, crowds: 1 },
  },
  pause: {
    spec: { pauseAfterFailures: 1 },
    budget: { ...NOTHING, steps: 3, faults: 1, crashes: 1, finishes: 2, deletions: 1, runNows: 1, resumes: 1 },
  },
  'start-timeout': {
    spec: { startTimeoutSeconds: 20 },
    stepMs: 30_000,
    budget: { ...NOTHING, steps: 5, faults: 1, crashes: 1, starts: 1, finishes: 1, deletions: 1, handOvers: 1 },
  },
  clock: {
    spec: {},
    stepMs: 30_000,
    budget: { ...NOTHING, steps: 5, faults: 1, crashes: 1, finishes: 1, clocks: 2, reschedules: 1 },
  },
  stranger: {
    spec: {},
    budget: { ...NOTHING, steps: 2, faults: 1, crashes: 1, finishes: 1, deletions: 1, strangers: 1 },
  },
  removal: {
    spec: {},
    runNow: 'from the manifest',
    budget: { ...NOTHING, steps: 2, faults: 1, crashes: 1, finishes: 1, removals: 1, runNows: 1 },
  },
};
