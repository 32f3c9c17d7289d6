/** Detects the end of a run: all objects exist, nothing changes any more, and no request is sent. */
import { type CallCounts, readCallCounts, sumCalls } from './api-calls.ts';
import type { BenchSession } from './session.ts';

const QUIET_MS = 3_000;
/** After this long without a change, missing objects do not come any more. */
const MAX_WAIT_MS = 20_000;
/** Interval between two reads of the API server's counters: a response has a megabyte. */
const CALLS_INTERVAL_MS = 3_000;
/** Events may come long after the rest. After this many looks without another call, missing events do not come any more. */
const MAX_EVENT_CHECKS = 5;

interface ExpectedCounts {
  readonly jobs: number;
  readonly statuses: number;
  /** Minimum number of events; fewer requests may report them. */
  readonly events: number;
}

/** Whether all objects were seen, and the API server has counted no call for some seconds: longer when events are missing. */
export function createSettledCheck(session: BenchSession, expected: ExpectedCounts) {
  let calls: CallCounts = {};
  let checkedMs = 0;
  let checksWithoutCall = 0;
  return async (): Promise<boolean> => {
    if (!isQuiet(session, expected) || performance.now() - checkedMs < CALLS_INTERVAL_MS) return false;
    checkedMs = performance.now();
    const before = sumCalls(calls);
    calls = await readCallCounts(session.controlPlane.kubeconfig);
    checksWithoutCall = sumCalls(calls) === before ? checksWithoutCall + 1 : 0;
    const hasAllEvents = (calls['POST events'] ?? 0) >= expected.events;
    return checksWithoutCall >= (hasAllEvents ? 1 : MAX_EVENT_CHECKS);
  };
}

/** Whether all objects exist, or will not come. */
function isQuiet(
  { observer: { runTimes: ledger, quietMs } }: BenchSession,
  { jobs, statuses }: ExpectedCounts,
): boolean {
  const isComplete = ledger.jobCount >= jobs && ledger.statusCount >= statuses;
  return quietMs > (isComplete ? QUIET_MS : MAX_WAIT_MS) && ledger.jobCount > 0;
}
