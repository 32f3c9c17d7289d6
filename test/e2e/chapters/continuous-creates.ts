/** A client that creates CronJobs without pause: each request calls the webhooks, and no CronJob is stored. */
import { inject } from 'vitest';
import { cronJobs } from '../../../controllers/resources.ts';
import { connect } from '../../support/cluster-client.ts';

interface ContinuousCreates extends AsyncDisposable {
  /** Resolves to the number of responses, and to the errors as text. */
  stop(): Promise<{ readonly answered: number; readonly failures: readonly string[] }>;
}

/** @param manifest Text of a CronJob in JSON. */
export function createContinuously(manifest: string): ContinuousCreates {
  const failures: string[] = [];
  let answered = 0;
  let isStopped = false;
  const createOnce = async () => {
    await using cluster = connect(inject('kubeconfig'));
    while (!isStopped) {
      try {
        await cluster.client.create(cronJobs, JSON.parse(manifest), { dryRun: true });
        answered++;
      } catch (error) {
        failures.push(String(error));
      }
    }
  };
  const done = createOnce();
  const stop = async () => {
    isStopped = true;
    await done;
    return { answered, failures };
  };
  return { stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}
