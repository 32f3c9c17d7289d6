/** Somebody who makes CronJobs without pause: each one asks the webhooks, none is stored. */
import { inject } from 'vitest';
import { cronJobs } from '../../../controllers/resources.ts';
import { connect } from '../../support/cluster-client.ts';

export interface Asked {
  readonly answered: number;
  /** What went wrong, in words. */
  readonly failures: readonly string[];
}

export interface Asking extends AsyncDisposable {
  stop(): Promise<Asked>;
}

/** @param manifest Text of a CronJob in JSON. */
export function keepAsking(manifest: string): Asking {
  const cluster = connect(inject('kubeconfig'));
  const failures: string[] = [];
  let answered = 0;
  let isStopped = false;
  const done = (async () => {
    while (!isStopped) {
      try {
        await cluster.client.create(cronJobs, JSON.parse(manifest), { dryRun: true });
        answered++;
      } catch (error) {
        failures.push(String(error));
      }
    }
    await cluster[Symbol.asyncDispose]();
  })();
  const stop = async () => {
    isStopped = true;
    await done;
    return { answered, failures };
  };
  return {
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
    },
  };
}
