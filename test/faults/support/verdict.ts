/** Compares the history with the contract. Shares no code with the controller. */
import type { Job } from '../../../api/kubernetes.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION, SCHEDULED_AT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import type { CreatedJob, LeaseWrite } from './audit-history.ts';

/** Skipped slots of one CronJob, both ends included. */
export interface SkippedSpan {
  readonly fromMs: number;
  readonly throughMs: number;
}

export interface Evidence {
  /** CronJobs as stored. Each has a schedule `@every <n>s`. */
  readonly cronJobs: readonly CronJob[];
  /** Every Job that was ever stored. */
  readonly created: readonly CreatedJob[];
  /** The existing Jobs. */
  readonly jobs: readonly Job[];
  /** All skips and runs that the status of a CronJob has ever listed, by UID of the CronJob. */
  readonly skipped: ReadonlyMap<string, readonly SkippedSpan[]>;
}

/** Slots and values of the run-now annotation that ran more than once. */
export function findDoubledRuns({ created }: Pick<Evidence, 'created'>): readonly string[] {
  const firstJobs = new Map<string, CreatedJob>();
  return created.flatMap((job) => {
    // A manual run does not have a slot; its name is unique for each value.
    const run = `${job.owner} ${job.slotMs ?? job.name}`;
    const first = firstJobs.get(run);
    firstJobs.set(run, job);
    return first === undefined ? [] : [`${job.namespace}/${job.name} ran twice: UIDs ${first.uid} and ${job.uid}`];
  });
}

/** Slots up to `throughMs` without a run and without a skip reason. */
export function findLostSlots({ cronJobs, created, skipped }: Evidence, throughMs: number): readonly string[] {
  const byOwner = Map.groupBy(created, ({ owner }) => owner);
  return cronJobs.flatMap(({ metadata: { uid, namespace, name, creationTimestamp }, spec, status }) => {
    const spans = skipped.get(uid) ?? [];
    const createdSlots = new Set(byOwner.get(uid)?.map(({ slotMs }) => slotMs));
    const isAccountedFor = (slotMs: number) =>
      createdSlots.has(slotMs) || spans.some((span) => span.fromMs <= slotMs && slotMs <= span.throughMs);
    return listSlots(spec.schedule, status?.effectiveSchedule?.since ?? creationTimestamp, throughMs)
      .filter((slotMs) => !isAccountedFor(slotMs))
      .map((slotMs) => `${namespace}/${name}: nothing is known of ${new Date(slotMs).toISOString()}`);
  });
}

/** Tolerance for the clocks of the API server and of a manager, which do not agree to the millisecond. */
const CLOCK_TOLERANCE_MS = 20;

/**
 * Writes that took a lease from a holder whose time was not over. A busy machine is not an excuse: a candidate has seen the last write of
 * the holder, and waits from then on.
 */
export function findEarlyTakeOvers(writes: readonly LeaseWrite[]): readonly string[] {
  // The audit log has the writes in the order of their responses.
  const inOrder = writes.toSorted((left, right) => Number(left.resourceVersion) - Number(right.resourceVersion));
  return inOrder.flatMap(({ holder, requestedMs }, index) => {
    const before = inOrder[index - 1];
    if (before === undefined || before.holder === '' || holder === '' || before.holder === holder) return [];
    const heldMs = requestedMs - before.requestedMs;
    if (heldMs >= before.durationMs - CLOCK_TOLERANCE_MS) return [];
    return [`${holder} took the lease of ${before.holder}, which was written ${heldMs} ms before`];
  });
}

/** CronJobs that have not started a slot after `afterMs`. */
export function findIdleCronJobs({ cronJobs, created }: Evidence, afterMs: number): readonly string[] {
  const busy = new Set(created.flatMap(({ owner, slotMs = 0 }) => (slotMs > afterMs ? [owner] : [])));
  return cronJobs
    .filter(({ metadata }) => !busy.has(metadata.uid))
    .map(
      ({ metadata }) =>
        `${metadata.namespace}/${metadata.name} has started nothing since ${new Date(afterMs).toISOString()}`,
    );
}

/** `@every <n>s` counts from the time when the schedule took effect. */
function listSlots(schedule: string, since: string, throughMs: number): readonly number[] {
  const everyMs = 1000 * Number(/^@every (\d+)s$/.exec(schedule)?.[1]);
  if (!(everyMs > 0)) throw new Error(`the schedule must be like "@every 5s", not ${JSON.stringify(schedule)}`);
  const slots: number[] = [];
  for (let slotMs = Date.parse(since) + everyMs; slotMs <= throughMs; slotMs += everyMs) slots.push(slotMs);
  return slots;
}

/** Incorrect fields of the statuses. Valid only when there is no more activity. */
export function findWrongStatuses({ cronJobs, created, jobs }: Evidence): readonly string[] {
  const byOwner = Map.groupBy(created, ({ owner }) => owner);
  const uids = new Map(jobs.map((job) => [job.metadata.uid, job]));
  return cronJobs.flatMap((cronJob) => {
    const { metadata, status = {} } = cronJob;
    const ownJobs = byOwner.get(metadata.uid) ?? [];
    const existing = ownJobs.flatMap(({ uid }) => uids.get(uid) ?? []);
    const newestMs = Math.max(...ownJobs.map(({ slotMs = 0 }) => slotMs));
    const active = existing.filter(({ status: end }) => !isFinished(end)).map(({ metadata: { name } }) => name);
    const lines = new Map((status.recentRuns ?? []).map((line) => [line.split(' ')[2], line.split(' ')[1]]));
    const runNowValue = metadata.annotations?.[RUN_NOW_ANNOTATION];
    const checks: readonly (readonly [what: string, found: unknown, wanted: unknown])[] = [
      ['active', (status.active ?? []).map(({ name }) => name).sort(), active.sort()],
      ['activeCount', status.activeCount, active.length],
      ['lastScheduleTime', Date.parse(status.lastScheduleTime ?? ''), newestMs > 0 ? newestMs : Number.NaN],
      ['lastManualRun', status.lastManualRun, runNowValue],
      ...existing
        .filter((job) => mustBeListed(job, cronJob))
        .map((job) => [`the result of ${job.metadata.name}`, lines.get(job.metadata.name), getResult(job)] as const),
    ];
    return checks
      .filter(([, actual, expected]) => JSON.stringify(actual) !== JSON.stringify(expected))
      .map(
        ([field, actual, expected]) =>
          `${metadata.namespace}/${metadata.name}: ${field} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`,
      );
  });
}

/** A full list has only the newest runs. */
function mustBeListed({ metadata }: Job, { spec, status = {} }: CronJob): boolean {
  const { recentRuns: lines = [] } = status;
  const [oldest = ''] = lines.at(-1)?.split(' ') ?? [];
  const time = metadata.annotations?.[SCHEDULED_AT_ANNOTATION] ?? metadata.creationTimestamp;
  return lines.length < (spec.recentRunsLimit ?? Number.POSITIVE_INFINITY) || time > oldest;
}

function isFinished(status: Job['status']): boolean {
  return findEndTime(status) !== undefined;
}

function findEndTime(status: Job['status']): string | undefined {
  return status?.conditions?.find(({ type, status: is }) => ['Complete', 'Failed'].includes(type) && is === 'True')
    ?.type;
}

function getResult({ status }: Job): 'Running' | 'Succeeded' | 'Failed' {
  const end = findEndTime(status);
  return end === undefined ? 'Running' : end === 'Complete' ? 'Succeeded' : 'Failed';
}

/** The scheduled time of a line of `status.recentRuns`; `undefined` for a manual run. */
export function parseListedSlot(line: string): SkippedSpan | undefined {
  const [time = '', , , trigger] = line.split(' ');
  if (trigger !== 'Schedule') return undefined;
  const slotMs = Date.parse(time);
  return { fromMs: slotMs, throughMs: slotMs };
}

/** A line of `status.recentSkips`. */
export function parseSkippedSpan(line: string): SkippedSpan {
  const [first = '', , ...rest] = line.split(' ');
  const last = rest.find((word) => word.startsWith('last='))?.slice('last='.length) ?? first;
  const span = { fromMs: Date.parse(first), throughMs: Date.parse(last) };
  if (Number.isNaN(span.fromMs + span.throughMs)) throw new Error(`not a skip: ${line}`);
  return span;
}
