/** The parts of a manager: its cache, and its controller as setupWithManager creates it. */
import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { trimManagedFields } from '../../api/v1/field-edits.ts';
import {
  createJobWatchOptions,
  DEFAULT_MAX_CONCURRENT_RECONCILES,
  mapJobToCronJob,
  mapRunToCronJob,
  RATE_LIMITS,
} from '../../controllers/cronjob-controller.ts';
import { cronJobRuns, cronJobs, jobs } from '../../controllers/resources.ts';
import { dropManagedFields } from '../../runtime/cache/informer.ts';
import { Controller, type ControllerOptions } from '../../runtime/controller/controller.ts';
import { enqueueRequestForObject } from '../../runtime/controller/map-to-requests.ts';
import { specOrMetadataChanged } from '../../runtime/controller/predicate.ts';
import { DelayedCache, DelayedInformer, type DelayedInformerOptions } from './delayed-cache.ts';
import type { Setting } from './setting.ts';
import { ownerUid } from './simulated-cluster.ts';

type EventSource = Omit<DelayedInformerOptions<CronJob>, 'collection' | 'transform'>;

export function createCache(
  { world, requests }: Pick<Setting, 'world' | 'requests'>,
  source: EventSource,
): DelayedCache {
  const cronJobInformer = new DelayedInformer<CronJob>({
    ...source,
    collection: world.cronJobs,
    transform: trimManagedFields,
  });
  const jobInformer = new DelayedInformer<Job>({ ...source, collection: world.jobs, transform: dropManagedFields });
  jobInformer.store.addIndex('controller-uid', (job) => [ownerUid(job) ?? ''].filter((uid) => uid !== ''));
  const requestInformer = new DelayedInformer<CronJobRun>({
    ...source,
    collection: requests.objects,
    transform: dropManagedFields,
  });
  return new DelayedCache({
    [cronJobs.plural]: cronJobInformer,
    [jobs.plural]: jobInformer,
    [cronJobRuns.plural]: requestInformer,
  });
}

type ControllerParts = Pick<ControllerOptions<CronJob>, 'reconciler' | 'clock' | 'log'> & {
  readonly syncPeriodMs: number;
};

/** Starts the controller. A normal stop does not abort a reconcile; the caller handles the reconciles of a process that dies. */
export function startController(
  cache: DelayedCache,
  { syncPeriodMs, ...parts }: ControllerParts,
  signal: AbortSignal,
): void {
  const controller = new Controller<CronJob>({
    ...parts,
    name: 'cronjob',
    abortSignal: new AbortController().signal,
    maxConcurrentReconciles: DEFAULT_MAX_CONCURRENT_RECONCILES,
    rateLimits: RATE_LIMITS,
  });
  controller.watch(cache.informerFor(cronJobs), enqueueRequestForObject, { predicates: [specOrMetadataChanged] });
  const { store } = cache.informerFor(cronJobs);
  controller.watch(cache.informerFor(jobs), mapJobToCronJob(store), createJobWatchOptions(store));
  controller.watch(cache.informerFor(cronJobRuns), mapRunToCronJob(store), { priority: () => 'low' });
  controller.resync(cache.informerFor(cronJobs), syncPeriodMs);
  void controller.start(signal);
}
