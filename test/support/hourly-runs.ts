/** Runs with different results, an hour apart. */
import { CoreWorld } from './core-world.ts';
import { at, cronJob } from './cron-jobs.ts';

type JobResult = 'Complete' | 'Failed';

/** A CronJob that is paused after this number of failures. */
export function createWorld(pauseAfterFailures: number, spec: Parameters<typeof cronJob>[0] = {}): CoreWorld {
  const world = new CoreWorld(cronJob({ pauseAfterFailures, ...spec }));
  world.reconcile(at('00:00:00'));
  return world;
}

/** The run of that hour, which ends after nine seconds. */
export function run(world: CoreWorld, hour: string, result: JobResult = 'Failed') {
  world.reconcile(at(`${hour}:00:00`));
  world.finish(at(`${hour}:00:09`), result);
  return world.reconcile(at(`${hour}:00:10`));
}
