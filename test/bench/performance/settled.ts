/** Detects the end of a run: all objects exist, nothing changes any more, and no request is sent. */
import { type Calls, countedCalls, totalOf } from './api-calls.ts';
import type { Session } from './session.ts';

const QUIET_MS = 3_000;
/** After this long without a change, missing objects do not come any more. */
const GIVE_UP_MS = 20_000;
/** Interval between two reads of the API server's counters: a response has a megabyte. */
const CALLS_INTERVAL_MS = 3_000;
/** Events may come long after the rest. After this many looks without another call, missing events do not come any more. */
const LOOKS_FOR_EVENTS = 5;

interface Wanted {
  readonly jobs: number;
  readonly statuses: number;
  /** Minimum number of events; fewer requests may report them. */
  readonly events: number;
}

/** Whether all objects were seen, and the API server has counted no call for some seconds: longer when events are missing. */
export function isSettled(session: Session, wanted: Wanted) {
  let calls: Calls = {};
  let lookedMs = 0;
  let looksWithoutCall = 0;
  return async (): Promise<boolean> => {
    if (!isQuiet(session, wanted) || performance.now() - lookedMs < CALLS_INTERVAL_MS) return false;
    lookedMs = performance.now();
    const before = totalOf(calls);
    calls = await countedCalls(session.controlPlane.kubeconfig);
    looksWithoutCall = totalOf(calls) === before ? looksWithoutCall + 1 : 0;
    const isTold = (calls['POST events'] ?? 0) >= wanted.events;
    return looksWithoutCall >= (isTold ? 1 : LOOKS_FOR_EVENTS);
  };
}

/** Whether all objects exist, or will not come. */
function isQuiet({ observer: { ledger, quietMs } }: Session, { jobs, statuses }: Wanted): boolean {
  const isComplete = ledger.jobCount >= jobs && ledger.statusCount >= statuses;
  return quietMs > (isComplete ? QUIET_MS : GIVE_UP_MS) && ledger.jobCount > 0;
}
