/** The cache of a manager: what it keeps, and how it finds the Jobs of a CronJob. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { keepEdits } from '../../api/v1/field-edits.ts';
import { cronJobs, jobs } from '../../controllers/resources.ts';
import { dropManagedFields } from '../../runtime/cache/informer.ts';
import { LateCache, LateInformer, type LateInformerOptions } from './late-cache.ts';
import { ownerUid, type World } from './world.ts';

type Way = Omit<LateInformerOptions<CronJob>, 'collection' | 'transform'>;

export function newCache(world: World, way: Way): LateCache {
  const cronJobInformer = new LateInformer<CronJob>({ ...way, collection: world.cronJobs, transform: keepEdits });
  const jobInformer = new LateInformer<Job>({ ...way, collection: world.jobs, transform: dropManagedFields });
  jobInformer.store.addIndex('controller-uid', (job) => [ownerUid(job) ?? ''].filter((uid) => uid !== ''));
  return new LateCache({ [cronJobs.plural]: cronJobInformer, [jobs.plural]: jobInformer });
}
