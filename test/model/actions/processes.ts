/** Managers die, and others start. */

import { executeWrite } from '../api-server.ts';
import { findUnrecordedRuns, findUntraceableRuns, isRunHandled } from '../laws/handled-runs.ts';
import { checkStatus, listSkippedRuns } from '../laws/status.ts';
import { checkWrite } from '../laws/writes.ts';
import { restartRequest } from '../request-state.ts';
import { getRunId, type ModelState, union } from '../state.ts';
import { trimCronJobOnce, trimJobOnce } from '../trimmed-objects.ts';
import { type ModelStep, spend } from './step.ts';

export function processSteps(state: ModelState): readonly ModelStep[] {
  return [...crashSteps(state), ...arrivalSteps(state)];
}

function crashSteps(state: ModelState): readonly ModelStep[] {
  if (state.remaining.crashes === 0) return [];
  return [{ description: 'the process dies between reconciles', state: restartProcess(spend(state, 'crashes')) }];
}

/** A write of an earlier manager arrives. If the API server refuses it, the running manager does not notice. */
function arrivalSteps(state: ModelState): readonly ModelStep[] {
  const { inFlight: request } = state;
  if (request === undefined) return [];
  const description = `the write of the old process arrives (${request.kind})`;
  const withoutRequest = { ...state, inFlight: undefined };
  try {
    const afterWrite = executeWrite(withoutRequest, request).state;
    if (request.kind === 'create')
      return [{ description, state: withStray(withoutRequest, afterWrite, getRunId(request.job)) }];
    // A container may have started since the list of its Pods.
    const faults = request.kind === 'end' ? [] : checkWrite(state, request);
    const after = { ...afterWrite, strayRuns: union(afterWrite.strayRuns, listNewSkips(state, afterWrite)) };
    return [{ description, state: after, faults: [...faults, ...checkStatus(after)] }];
  } catch {
    return [{ description: `${description}, and is refused`, state: withoutRequest }];
  }
}

/** A run that this manager has also started, or given up, by now: names and versions are not a lock against a write that is so late. */
function withStray(before: ModelState, after: ModelState, runId: string): ModelState {
  const isLate = before.createCounts[runId] !== undefined || isRunHandled(before, runId);
  return {
    ...after,
    strayRuns: union(after.strayRuns, [runId]),
    ...(isLate && { untraceableRuns: union(after.untraceableRuns, [runId]) }),
  };
}

/** Runs of the slots that a late status records as skipped. This manager may start them before it reads the status. */
function listNewSkips({ cronJob: before }: ModelState, { cronJob: after }: ModelState): readonly string[] {
  const skippedBefore = before === undefined ? [] : listSkippedRuns(before);
  return after === undefined ? [] : listSkippedRuns(after).filter((runId) => !skippedBefore.includes(runId));
}

/** Another process starts with the state of the API server. */
export function restartProcess(state: ModelState): ModelState {
  return {
    ...state,
    cachedCronJob: state.cronJob && trimCronJobOnce(state.cronJob),
    cachedJobs: state.jobs.map(trimJobOnce),
    cronJobEvents: [],
    jobEvents: [],
    writtenCronJob: undefined,
    isStatusUncertain: false,
    memory: undefined,
    isQueued: state.cronJob !== undefined,
    hasRetry: false,
    hasPendingDelete: false,
    wakeAtMs: undefined,
    untraceableRuns: findUntraceableRuns(state),
    knownRuns: [],
    request: { ...restartRequest(state.request), unrecordedRuns: findUnrecordedRuns(state) },
  };
}
