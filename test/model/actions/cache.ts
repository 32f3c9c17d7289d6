/** The cache gets watch events. */
import { specOrMetadataChanged } from 'controller-runtime';
import type { Job } from '../../../api/kubernetes.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { CronJobRun } from '../../../api/v1/cronjobrun-types.ts';
import { mapJobToCronJob, mapRunToCronJob } from '../../../controllers/cronjob-controller.ts';
import { mapCronJobToNextRuns, mapCronJobToRuns, mapJobToRuns } from '../../../controllers/cronjobrun-watches.ts';
import { isBehind, requestStore } from '../client.ts';
import { recordJob } from '../reconcile.ts';
import { REQUEST_NAME } from '../request-state.ts';
import type { ModelState } from '../state.ts';
import { trimCronJobOnce, trimJobOnce } from '../trimmed-objects.ts';
import type { PendingWatchEvent } from '../watch.ts';
import type { ModelStep } from './step.ts';

export function cacheSteps(state: ModelState): readonly ModelStep[] {
  const [cronJob, ...laterCronJobs] = state.cronJobEvents;
  const [job, ...laterJobs] = state.jobEvents;
  const [request, ...laterRequests] = state.request.events;
  return [
    ...(cronJob ? [cronJobStep({ ...state, cronJobEvents: laterCronJobs }, cronJob)] : []),
    ...(job ? [jobStep({ ...state, jobEvents: laterJobs }, job)] : []),
    ...(request ? [requestStep({ ...state, request: { ...state.request, events: laterRequests } }, request)] : []),
  ];
}

function cronJobStep(state: ModelState, { isDeleted, object }: PendingWatchEvent<CronJob>): ModelStep {
  const { cachedCronJob, writtenCronJob, isQueued } = state;
  const { uid, resourceVersion } = object.metadata;
  if (isDeleted) {
    const description = 'the cache gets the deletion of the CronJob';
    // The written object is the successor of a deleted one, and may be deleted as well by now.
    const isStatusUncertain =
      state.isStatusUncertain || (writtenCronJob !== undefined && writtenCronJob.metadata.uid !== uid);
    return {
      description,
      state: wakeRequest(
        { ...state, cachedCronJob: undefined, writtenCronJob: undefined, isStatusUncertain, isQueued: true },
        mapCronJobToRuns(requestStore(state.request))(object.metadata),
      ),
    };
  }
  const trimmed = trimCronJobOnce(object);
  const isCaughtUp = writtenCronJob !== undefined && !isBehind(trimmed, writtenCronJob);
  const isRelevant = cachedCronJob === undefined || specOrMetadataChanged.onUpdate?.(cachedCronJob, trimmed) !== false;
  return {
    description: `the cache gets version ${resourceVersion} of the CronJob`,
    state: wakeRequest(
      {
        ...state,
        cachedCronJob: trimmed,
        writtenCronJob: isCaughtUp ? undefined : writtenCronJob,
        isQueued: isQueued || isRelevant,
      },
      mapCronJobToNextRuns(requestStore(state.request))(object.metadata),
    ),
  };
}

function wakeRequest(state: ModelState, woken: readonly unknown[]): ModelState {
  return woken.length === 0 ? state : { ...state, request: { ...state.request, isQueued: true } };
}

function requestStep(state: ModelState, { isDeleted, object }: PendingWatchEvent<CronJobRun>): ModelStep {
  const { request } = state;
  const { cached, written, isQueued } = request;
  const wakesCronJob = mapRunToCronJob({ get: () => state.cachedCronJob })(object).length > 0;
  if (isDeleted) {
    const gone = { ...request, cached: undefined, written: undefined, isQueued: true };
    return {
      description: 'the cache gets the deletion of the CronJobRun',
      state: { ...state, request: gone, isQueued: state.isQueued || wakesCronJob },
    };
  }
  const isCaughtUp = written !== undefined && !isBehind(object, written);
  const isRelevant = cached === undefined || specOrMetadataChanged.onUpdate?.(cached, object) !== false;
  const changed = { cached: object, written: isCaughtUp ? undefined : written, isQueued: isQueued || isRelevant };
  return {
    description: `the cache gets version ${object.metadata.resourceVersion} of the CronJobRun`,
    state: { ...state, request: { ...request, ...changed }, isQueued: state.isQueued || wakesCronJob },
  };
}

function jobStep(state: ModelState, { isDeleted, object }: ModelState['jobEvents'][number]): ModelStep {
  const trimmed = trimJobOnce(object);
  const others = state.cachedJobs.filter(({ metadata }) => metadata.uid !== object.metadata.uid);
  const wakes = mapJobToCronJob({ get: () => state.cachedCronJob })(trimmed).length > 0;
  return {
    description: `the cache gets ${isDeleted ? 'the deletion' : 'a change'} of ${object.metadata.name}`,
    state: {
      ...state,
      cachedJobs: isDeleted ? others : [...others, trimmed],
      isQueued: state.isQueued || wakes,
      ...(state.scenario.request && requestFieldsAfter(state, trimmed, isDeleted)),
    },
  };
}

function requestFieldsAfter(state: ModelState, job: Job, isDeleted: boolean): Pick<ModelState, 'request' | 'memory'> {
  const { request } = state;
  const { uid } = job.metadata;
  const isQueued =
    request.isQueued ||
    mapJobToRuns(job, mapCronJobToNextRuns(requestStore(request))).some(({ name }) => name === REQUEST_NAME);
  const deletedJobs = isDeleted ? request.deletedJobs.filter((deleted) => deleted !== uid) : request.deletedJobs;
  return { request: { ...request, isQueued, deletedJobs }, memory: recordJob(state, job) };
}
