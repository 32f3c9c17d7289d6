/** Computes a key for each state, so that each is explored once. */
import { clockMs, type State } from './state.ts';

/** States share objects, and few objects are new, so each object is serialized once. */
const idsOfObjects = new WeakMap<object, number>();
const idsOfTexts = new Map<string, number>();

/**
 * A text that is equal for two states only when they do not differ in a relevant way. Resource versions of CronJobs count writes, and only
 * show which objects are equal and which is newer, so only their order counts. The same holds for the order of Jobs in a list.
 */
export function fingerprint(state: State): string {
  const { cronJob, cachedCronJob, written, cronJobEvents, cachedJobs, jobEvents } = state;
  const events = cronJobEvents.map(({ object }) => object);
  const versioned = [cronJob, cachedCronJob, written, ...events];
  const versions = versioned.map((each) => Number(each?.metadata.resourceVersion ?? 0));
  return [
    state.nowMs,
    state.aheadMs,
    Math.max(0, state.newestClockMs - clockMs(state)),
    state.editedMs,
    Object.values(state.left).join('.'),
    ...versioned.map(idOf),
    ranksOf(versions).join('.'),
    cronJobEvents.map(({ isDeleted }) => Number(isDeleted)).join(''),
    idsOf(state.jobs),
    idsOf(cachedJobs),
    jobEvents.map(({ isDeleted, object }) => `${isDeleted ? '-' : ''}${idOf(object)}`).join('.'),
    [state.isUnsure, state.isClockNews, state.isQueued, state.hasRetry, state.owesDelete].map(Number).join(''),
    idOf(state.memory),
    state.wakeAtMs,
    ...[state.started, state.inFlight, state.strays, state.known, state.creates, state.ends, state.unprovable].map(
      idOf,
    ),
  ].join(' ');
}

function ranksOf(versions: readonly number[]): readonly number[] {
  const ranks = [...new Set(versions)].toSorted((left, right) => left - right);
  return versions.map((version) => ranks.indexOf(version));
}

function idsOf(objects: readonly object[]): string {
  return objects
    .map(idOf)
    .toSorted((left, right) => left - right)
    .join('.');
}

/** The same id for objects with the same content. 0 for `undefined`. */
function idOf(object: object | undefined): number {
  if (object === undefined) return 0;
  const known = idsOfObjects.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(object, plain);
  const id = idsOfTexts.get(text) ?? idsOfTexts.size + 1;
  idsOfTexts.set(text, id);
  idsOfObjects.set(object, id);
  return id;
}

function plain(this: unknown, key: string, value: unknown): unknown {
  if (key === 'resourceVersion' && isOfCronJob(this)) return undefined;
  return value instanceof Set || value instanceof Map ? [...value].toSorted() : value;
}

/** Whether these are the metadata of a CronJob, the only kind with a generation here. */
function isOfCronJob(metadata: unknown): boolean {
  return typeof metadata === 'object' && metadata !== null && 'generation' in metadata;
}
