/** Managers die, and others start. */

import { serve } from '../api-server.ts';
import { keptCronJob, keptJob } from '../kept.ts';
import { isAccountedFor, unprovableAfterCrash } from '../laws/proof.ts';
import { statusFaults } from '../laws/status.ts';
import { writeFaults } from '../laws/writes.ts';
import { runIdOf, type State, union } from '../state.ts';
import { type Step, spend } from './step.ts';

export function processSteps(state: State): readonly Step[] {
  return [...crashes(state), ...arrivals(state)];
}

function crashes(state: State): readonly Step[] {
  if (state.left.crashes === 0) return [];
  return [{ what: 'the process dies between passes', state: restarted(spend(state, 'crashes')) }];
}

/** A write of an earlier manager arrives. If the API server refuses it, the running manager does not notice. */
function arrivals(state: State): readonly Step[] {
  const { inFlight: request } = state;
  if (request === undefined) return [];
  const what = `the write of the old process arrives (${request.kind})`;
  const without = { ...state, inFlight: undefined };
  try {
    const served = serve(without, request).state;
    if (request.kind === 'create') return [{ what, state: withStray(without, served, runIdOf(request.job)) }];
    // A container may have started since the list of its Pods.
    const faults = request.kind === 'end' ? [] : writeFaults(state, request);
    return [{ what, state: served, faults: [...faults, ...statusFaults(served)] }];
  } catch {
    return [{ what: `${what}, and is refused`, state: without }];
  }
}

/** A run that this manager has also started, or given up, by now: names and versions are not a lock against a write that is so late. */
function withStray(before: State, served: State, runId: string): State {
  const isLate = before.creates[runId] !== undefined || isAccountedFor(before, runId);
  return {
    ...served,
    strays: union(served.strays, [runId]),
    ...(isLate && { unprovable: union(served.unprovable, [runId]) }),
  };
}

/** Another process starts with the state of the API server. */
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
