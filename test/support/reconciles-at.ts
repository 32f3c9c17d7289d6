import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { CoreWorld } from './core-world.ts';
import { at } from './cron-jobs.ts';

export const time = (text: string) => new Date(at(text.length === 'hh:mm'.length ? `${text}:00` : text));

/**
 * A CronJob that a controller has seen at midnight, and then at these times.
 * @param times `01:00` for a reconcile; `01:05 Failed` or `01:05 Complete` for a reconcile that sees this result of the
 * newest Job.
 */
export function worldAfterReconciles(spec: Partial<CronJob['spec']>, ...times: readonly string[]): CoreWorld {
  const world = CoreWorld.afterFirstReconcile(spec);
  reconcileAt(world, ...times);
  return world;
}

/** Continues with these times. */
export function reconcileAt(world: CoreWorld, ...times: readonly string[]): void {
  for (const each of times) {
    const [text = '', end] = each.split(' ');
    const now = time(text).toISOString();
    if (end === 'Failed' || end === 'Complete') world.finish(now, end);
    world.reconcile(now);
  }
}
