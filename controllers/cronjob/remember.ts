/** What a pass leaves to the next one, when its status is not stored: makes the memory of memory.ts. */
import { isDeepStrictEqual } from 'node:util';
import type { Job } from '../../api/kubernetes.ts';
import { MAX_RECENT_RUNS_LIMIT } from '../../api/v1/cronjob-defaults.ts';
import type { CronJobStatus, ObjectReference } from '../../api/v1/cronjob-types.ts';
import type { Facts } from './facts.ts';
import type { Run } from './job.ts';
import { MAX_REMEMBERED, type Memory, UNSTORED_FIELDS, type Unstored, withoutDoubles } from './memory.ts';
import { isResultNew } from './recent-runs.ts';

/** Jobs of a pass. */
export interface PassJobs {
  /** Those that the next pass should find. */
  readonly active: readonly ObjectReference[];
  readonly replaced: readonly Job[];
  /** As {@link runsSeen} has them. */
  readonly seen: readonly Run[];
}

/** What the memory keeps of Jobs after a pass. */
export function rememberJobs(
  facts: Facts,
  { active, replaced, seen }: PassJobs,
): Pick<Memory, 'unrecorded' | 'replaced' | 'ended' | 'resumed'> {
  const { stored, memory, pause } = facts;
  const recorded = new Set(stored.active?.map(({ uid }) => uid));
  const gone = new Set([...memory.replaced, ...replaced.map(({ metadata }) => metadata.uid)]);
  const isUnrecorded = ({ uid = '' }: ObjectReference) => !recorded.has(uid) && !gone.has(uid);
  const resumed = pause.resumedAt && stored.paused && { since: stored.paused.since, at: pause.resumedAt };
  return {
    unrecorded: withoutDoubles([...memory.unrecorded, ...active])
      .filter(isUnrecorded)
      .slice(-MAX_REMEMBERED),
    replaced: new Set([...gone].filter((uid) => recorded.has(uid))),
    ended: seen.filter((run) => isResultNew(run, facts)).slice(-MAX_REMEMBERED),
    ...(resumed && { resumed }),
  };
}

/** The memory after a pass whose status is not stored; `undefined` when there is nothing to remember. */
export function memoryOfUnstored(
  facts: Facts,
  settled: Pick<PassJobs, 'replaced' | 'seen'> & { readonly status: CronJobStatus },
  stored: CronJobStatus,
): Memory | undefined {
  const { status, replaced, seen } = settled;
  const { active = [] } = status;
  const jobs = rememberJobs(facts, { active, replaced, seen });
  const unstored = { ...unstoredOf(status, stored), ...unstoredRuns(facts.memory, status.recentRuns, stored) };
  const known = jobs.unrecorded.length + jobs.replaced.size + jobs.ended.length;
  const isEmpty = known + Object.keys(unstored).length === 0 && jobs.resumed === undefined;
  return isEmpty ? undefined : { uid: facts.cronJob.metadata.uid, ...jobs, unstored };
}

/** The fields of `status`, which could not be stored, that differ from the stored one. */
export function unstoredOf(status: CronJobStatus, stored: CronJobStatus): Unstored {
  return Object.fromEntries(
    UNSTORED_FIELDS.filter(
      (field) => status[field] !== undefined && !isDeepStrictEqual(status[field], stored[field]),
    ).map((field) => [field, status[field]]),
  );
}

/** The lines that are not stored, newest first, with those of earlier passes: `recentRunsLimit` may leave fewer than ran. */
export function unstoredRuns(
  { unstored }: Memory,
  lines: readonly string[] = [],
  stored: CronJobStatus = {},
): Pick<Unstored, 'recentRuns'> {
  const known = new Set(stored.recentRuns);
  const all = new Set([...lines, ...(unstored.recentRuns ?? [])].filter((line) => !known.has(line)));
  return all.size === 0 ? {} : { recentRuns: [...all].slice(0, MAX_RECENT_RUNS_LIMIT) };
}
