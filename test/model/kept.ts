/** The cached form of objects, as in the manager, computed once for each version. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { trimCronJob, trimJob } from '../../controllers/cache-transforms.ts';

export const keptCronJob: (cronJob: CronJob) => CronJob = once(trimCronJob);
export const keptJob: (job: Job) => Job = once(trimJob);

function once<T extends object>(keep: (object: T) => T): (object: T) => T {
  const known = new WeakMap<T, T>();
  return (object) => {
    const before = known.get(object);
    if (before !== undefined) return before;
    const kept = keep(object);
    known.set(object, kept);
    return kept;
  };
}
