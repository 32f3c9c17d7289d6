/** The cache gets watch events. */
import { specOrMetadataChanged } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { toCronJob } from '../../../controllers/cronjob-controller.ts';
import { isBehind } from '../client.ts';
import type { ModelState, PendingWatchEvent } from '../state.ts';
import { trimCronJobOnce, trimJobOnce } from '../trimmed-objects.ts';
import type { ModelStep } from './step.ts';

export function cacheSteps(state: ModelState): readonly ModelStep[] {
  const [cronJob, ...laterCronJobs] = state.cronJobEvents;
  const [job, ...laterJobs] = state.jobEvents;
  return [
    ...(cronJob ? [cronJobStep({ ...state, cronJobEvents: laterCronJobs }, cronJob)] : []),
    ...(job ? [jobStep({ ...state, jobEvents: laterJobs }, job)] : []),
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
      state: { ...state, cachedCronJob: undefined, writtenCronJob: undefined, isStatusUncertain, isQueued: true },
    };
  }
  const trimmed = trimCronJobOnce(object);
  const isCaughtUp = writtenCronJob !== undefined && !isBehind(trimmed, writtenCronJob);
  const isRelevant = cachedCronJob === undefined || specOrMetadataChanged.onUpdate?.(cachedCronJob, trimmed) !== false;
  return {
    description: `the cache gets version ${resourceVersion} of the CronJob`,
    state: {
      ...state,
      cachedCronJob: trimmed,
      writtenCronJob: isCaughtUp ? undefined : writtenCronJob,
      isQueued: isQueued || isRelevant,
    },
  };
}

function jobStep(state: ModelState, { isDeleted, object }: ModelState['jobEvents'][number]): ModelStep {
  const trimmed = trimJobOnce(object);
  const others = state.cachedJobs.filter(({ metadata }) => metadata.uid !== object.metadata.uid);
  const wakes = toCronJob({ get: () => state.cachedCronJob })(trimmed).length > 0;
  return {
    description: `the cache gets ${isDeleted ? 'the deletion' : 'a change'} of ${object.metadata.name}`,
    state: {
      ...state,
      cachedJobs: isDeleted ? others : [...others, trimmed],
      isQueued: state.isQueued || wakes,
    },
  };
}
