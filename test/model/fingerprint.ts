/** Computes a key for each state, so that each is explored once. */
import { clockMs, type ModelState } from './state.ts';

/** States share objects, and few objects are new, so each object is serialized once. */
const objectIds = new WeakMap<object, number>();
const textIds = new Map<string, number>();

/**
 * A text that is equal for two states only when they do not differ in a relevant way. Resource versions of CronJobs and CronJobRuns count writes, and only
 * show which objects are equal and which is newer, so only their order counts. The same holds for the order of Jobs in a list.
 */
export function fingerprint(state: ModelState): string {
  const { cronJob, cachedCronJob, writtenCronJob, cronJobEvents, cachedJobs, jobEvents } = state;
  const events = cronJobEvents.map(({ object }) => object);
  const versioned = [cronJob, cachedCronJob, writtenCronJob, ...events];
  const versions = versioned.map((each) => Number(each?.metadata.resourceVersion ?? 0));
  return [
    state.nowMs,
    state.aheadMs,
    Math.max(0, state.newestClockMs - clockMs(state)),
    state.editedMs,
    Object.values(state.remaining).join('.'),
    ...versioned.map(getId),
    computeRanks(versions).join('.'),
    cronJobEvents.map(({ isDeleted }) => Number(isDeleted)).join(''),
    formatIds(state.jobs),
    formatIds(cachedJobs),
    jobEvents.map(({ isDeleted, object }) => `${isDeleted ? '-' : ''}${getId(object)}`).join('.'),
    [state.isStatusUncertain, state.wasClockSet, state.isQueued, state.hasRetry, state.hasPendingDelete]
      .map(Number)
      .join(''),
    getId(state.memory),
    state.wakeAtMs,
    ...(state.scenario.request ? formatRequest(state.request) : []),
    ...[
      state.startedJobs,
      state.inFlight,
      state.strayRuns,
      state.knownRuns,
      state.createCounts,
      state.runResults,
      state.untraceableRuns,
    ].map(getId),
  ].join(' ');
}

function formatRequest({ stored, cached, written, events, ...rest }: ModelState['request']): readonly unknown[] {
  const versioned = [stored, cached, written, ...events.map(({ object }) => object)];
  const versions = versioned.map((each) => Number(each?.metadata.resourceVersion ?? 0));
  return [
    ...versioned.map(getId),
    computeRanks(versions).join('.'),
    events.map(({ isDeleted }) => Number(isDeleted)).join(''),
    [rest.isUncertain, rest.isQueued, rest.hasRetry].map(Number).join(''),
    rest.wakeAtMs,
    ...[rest.uncertainJobs, rest.deletedJobs, rest.knownRuns, rest.unrecordedRuns].map(getId),
  ];
}

function computeRanks(versions: readonly number[]): readonly number[] {
  const ranks = [...new Set(versions)].toSorted((left, right) => left - right);
  return versions.map((version) => ranks.indexOf(version));
}

function formatIds(objects: readonly object[]): string {
  return objects
    .map(getId)
    .toSorted((left, right) => left - right)
    .join('.');
}

/** The same id for objects with the same content. 0 for `undefined`. */
function getId(object: object | undefined): number {
  if (object === undefined) return 0;
  const cached = objectIds.get(object);
  if (cached !== undefined) return cached;
  const text = JSON.stringify(object, normalize);
  const id = textIds.get(text) ?? textIds.size + 1;
  textIds.set(text, id);
  objectIds.set(object, id);
  return id;
}

function normalize(this: unknown, key: string, value: unknown): unknown {
  if (key === 'resourceVersion' && hasGeneration(this)) return undefined;
  return value instanceof Set || value instanceof Map ? [...value].toSorted() : value;
}

/** Whether these are the metadata of a CronJob or a CronJobRun, the only kinds with a generation here. */
function hasGeneration(metadata: unknown): boolean {
  return typeof metadata === 'object' && metadata !== null && 'generation' in metadata;
}
