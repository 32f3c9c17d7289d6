/** When a run is over: everything is there, nothing changes any more, and nothing more is sent. */
import { countedCalls, totalOf } from './api-calls.ts';
import type { Session } from './session.ts';

const QUIET_MS = 3_000;
/** So long without a change, and something never comes. */
const GIVE_UP_MS = 20_000;
/** Between two looks at what the API server counted: an answer has a megabyte. */
const CALLS_INTERVAL_MS = 3_000;

/** Whether so many Jobs and statuses were seen, and the API server has counted no call for some seconds: events come late. */
export function isSettled(session: Session, wanted: { readonly jobs: number; readonly statuses: number }) {
  let calls = Number.NaN;
  let lookedMs = 0;
  return async (): Promise<boolean> => {
    const { ledger, quietMs } = session.observer;
    const isComplete = ledger.jobCount >= wanted.jobs && ledger.statusCount >= wanted.statuses;
    const isGivenUp = ledger.jobCount > 0 && quietMs > GIVE_UP_MS;
    if (!(isComplete && quietMs > QUIET_MS) && !isGivenUp) return false;
    if (performance.now() - lookedMs < CALLS_INTERVAL_MS) return false;
    lookedMs = performance.now();
    const before = calls;
    calls = totalOf(await countedCalls(session.controlPlane.transport));
    return calls === before;
  };
}
