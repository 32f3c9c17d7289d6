/** The cache gets watch events. */
import { specOrMetadataChanged } from 'controller-runtime';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { toCronJob } from '../../../controllers/cronjob-controller.ts';
import { isBehind } from '../client.ts';
import { keptCronJob, keptJob } from '../kept.ts';
import type { State, WatchEvent } from '../state.ts';
import type { Step } from './step.ts';

export function cacheSteps(state: State): readonly Step[] {
  const [cronJob, ...laterCronJobs] = state.cronJobEvents;
  const [job, ...laterJobs] = state.jobEvents;
  return [
    ...(cronJob ? [cronJobStep({ ...state, cronJobEvents: laterCronJobs }, cronJob)] : []),
    ...(job ? [jobStep({ ...state, jobEvents: laterJobs }, job)] : []),
  ];
}

function cronJobStep(state: State, { isDeleted, object }: WatchEvent<CronJob>): Step {
  const { cachedCronJob, written, isQueued } = state;
  const { uid, resourceVersion } = object.metadata;
  if (isDeleted) {
    const what = 'the cache hears that the CronJob is gone';
    // The written object is the successor of a deleted one, and may be deleted as well by now.
    const isUnsure = state.isUnsure || (written !== undefined && written.metadata.uid !== uid);
    return { what, state: { ...state, cachedCronJob: undefined, written: undefined, isUnsure, isQueued: true } };
  }
  const kept = keptCronJob(object);
  const isCaughtUp = written !== undefined && !isBehind(kept, written);
  const isNews = cachedCronJob === undefined || specOrMetadataChanged.onUpdate?.(cachedCronJob, kept) !== false;
  return {
    what: `the cache gets version ${resourceVersion} of the CronJob`,
    state: {
      ...state,
      cachedCronJob: kept,
      written: isCaughtUp ? undefined : written,
      isQueued: isQueued || isNews,
    },
  };
}

function jobStep(state: State, { isDeleted, object }: State['jobEvents'][number]): Step {
  const kept = keptJob(object);
  const others = state.cachedJobs.filter(({ metadata }) => metadata.uid !== object.metadata.uid);
  const wakes = toCronJob({ get: () => state.cachedCronJob })(kept).length > 0;
  return {
    what: `the cache hears of ${object.metadata.name}${isDeleted ? ' that it is gone' : ''}`,
    state: {
      ...state,
      cachedJobs: isDeleted ? others : [...others, kept],
      isQueued: state.isQueued || wakes,
    },
  };
}
