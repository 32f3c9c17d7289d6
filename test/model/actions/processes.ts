/** Managers die, and others begin. */
import { keptCronJob, keptJob } from '../kept.ts';
import { unprovableAfterCrash } from '../laws/proof.ts';
import type { State } from '../state.ts';
import { type Step, spend } from './step.ts';

export function processSteps(state: State): readonly Step[] {
  if (state.left.crashes === 0) return [];
  return [{ what: 'the process dies between passes', state: restarted(spend(state, 'crashes')) }];
}

/** Another process begins with what the API server holds. */
export function restarted(state: State): State {
  return {
    ...state,
    cachedCronJob: state.cronJob && keptCronJob(state.cronJob),
    cachedJobs: state.jobs.map(keptJob),
    cronJobEvents: [],
    jobEvents: [],
    written: undefined,
    isUnsure: false,
    memory: undefined,
    isQueued: state.cronJob !== undefined,
    hasRetry: false,
    owesDelete: false,
    wakeAtMs: undefined,
    unprovable: unprovableAfterCrash(state),
    known: [],
  };
}
