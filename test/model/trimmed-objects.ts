/** The cached form of objects, as in the manager, computed once for each version. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { trimCronJob, trimJob } from '../../controllers/cache-transforms.ts';

export const trimCronJobOnce: (cronJob: CronJob) => CronJob = memoize(trimCronJob);
export const trimJobOnce: (job: Job) => Job = memoize(trimJob);

function memoize<T extends object>(transform: (object: T) => T): (object: T) => T {
  const cache = new WeakMap<T, T>();
  return (object) => {
    const cached = cache.get(object);
    if (cached !== undefined) return cached;
    const result = transform(object);
    cache.set(object, result);
    return result;
  };
}
