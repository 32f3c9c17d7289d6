/** Completes Jobs, as the Job controller would: two seconds after each was created. */
import { jobs } from '../../../controllers/resources.ts';
import type { ObservedJob } from './observer.ts';
import { type BenchSession, NAMESPACE } from './session.ts';

const DURATION_MS = 2_000;

export interface JobCompleter extends AsyncDisposable {
  /** Errors so far. */
  readonly notes: () => readonly string[];
}

/** Starts to complete the Jobs that the session sees. */
export function completeJobs({ observer, controlPlane, signal }: BenchSession): JobCompleter {
  let failures = 0;
  let lastFailure: unknown;
  const timers = new Set<NodeJS.Timeout>();
  const complete = async ({ metadata: { name, creationTimestamp } }: ObservedJob) => {
    const now = new Date().toISOString().replace(/\.\d+/, '');
    const condition = (type: string) => ({
      type,
      status: 'True',
      lastTransitionTime: now,
      reason: 'CompletionsReached',
    });
    const status = {
      startTime: creationTimestamp,
      completionTime: now,
      succeeded: 1,
      conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
    };
    const patch = { kind: 'merge', body: { status } } as const;
    await controlPlane.client.patch(jobs, { namespace: NAMESPACE, name }, patch, { subresource: 'status' });
  };
  observer.onJob = (job) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      complete(job).catch((error: unknown) => {
        if (signal.aborted) return;
        failures++;
        lastFailure = error;
      });
    }, DURATION_MS);
    timers.add(timer);
  };
  return {
    notes: () => (failures === 0 ? [] : [`${failures} Jobs could not be completed, the last: ${lastFailure}`]),
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
