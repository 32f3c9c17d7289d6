/** Maps the objects that the controller of CronJobRuns watches to the CronJobRuns that they affect. */
import type { Manager, Predicate, Request } from 'controller-runtime';
import type { Job } from '../api/kubernetes.ts';
import type { CronJobRun } from '../api/v1/cronjobrun-types.ts';
import { REQUESTED_BY_ANNOTATION } from '../api/v1/groupversion.ts';
import { compareStartOrder, isWaiting } from './cronjobrun/decide.ts';
import { isFinishedRun } from './cronjobrun/facts.ts';
import { cronJobRuns } from './resources.ts';

/** Field index of CronJobRuns that have not finished, by the name of their CronJob. */
export const UNFINISHED_RUNS_INDEX = 'cronjob-name';

export function indexCronJobRuns(cache: Pick<Manager['cache'], 'indexField'>): void {
  cache.indexField(cronJobRuns, UNFINISHED_RUNS_INDEX, (run) => (isFinishedRun(run) ? [] : [run.spec.cronJobName]));
}

interface CronJobRunLookup {
  readonly byIndex: (index: string, value: string) => readonly CronJobRun[];
}

type MapToRuns = (cronJobKey: Pick<Job['metadata'], 'namespace' | 'name'>) => readonly Request<CronJobRun>[];

/** Returns a function that maps a CronJob to its CronJobRuns that have not finished. */
export function mapCronJobToRuns(store: CronJobRunLookup): MapToRuns {
  return ({ namespace, name: cronJobName }) =>
    store
      .byIndex(UNFINISHED_RUNS_INDEX, cronJobName)
      .filter(({ metadata }) => metadata.namespace === namespace)
      .map(({ metadata: { name } }) => ({ namespace, name }));
}

/**
 * Returns a function that maps a CronJob to its CronJobRuns that may start a run now. If several CronJobRuns wait, only
 * the first may start a run. When the first no longer waits, {@link waitEnded} triggers a reconcile of the next.
 */
export function mapCronJobToNextRuns(store: CronJobRunLookup): MapToRuns {
  return ({ namespace, name: cronJobName }) => {
    const unfinished = store
      .byIndex(UNFINISHED_RUNS_INDEX, cronJobName)
      .filter(({ metadata }) => metadata.namespace === namespace);
    const [next] = unfinished.filter(isWaiting).sort(compareStartOrder);
    return unfinished
      .filter((run) => run === next || !isWaiting(run))
      .map(({ metadata: { name } }) => ({ namespace, name }));
  };
}

/** Accepts the events of a CronJobRun that has stopped waiting. */
export const waitEnded: Predicate<CronJobRun> = {
  onAdd: () => false,
  onUpdate: (oldRun, run) => isWaiting(oldRun) && !isWaiting(run),
  onDelete: isWaiting,
};

/** Maps a Job to the CronJobRun that has started it, and to the CronJobRuns that may start a run now. */
export function mapJobToRuns({ metadata }: Job, toNextRuns: MapToRuns): readonly Request<CronJobRun>[] {
  const { namespace, annotations, ownerReferences = [] } = metadata;
  const requestedBy = annotations?.[REQUESTED_BY_ANNOTATION];
  const owner = ownerReferences.find(({ controller }) => controller === true);
  const nextRuns = owner === undefined ? [] : toNextRuns({ namespace, name: owner.name });
  return requestedBy === undefined ? nextRuns : [{ namespace, name: requestedBy }, ...nextRuns];
}
