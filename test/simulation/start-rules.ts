/** Rules for each Job that the manager creates. Each function returns the broken rules. */

import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION, SCHEDULED_TIMESTAMP_ANNOTATION } from '../../api/v1/groupversion.ts';
import { parseRecentRun } from '../../api/v1/recent-lines.ts';
import { formatInZone } from '../../api/v1/schedule.ts';
import { checkContext } from './context-rules.ts';
import type { Effect } from './effects.ts';
import {
  findBrokenRules,
  getCatchUpLimit,
  getDeadlineMs,
  getRunLimit,
  getScheduleKey,
  getSlot,
  getStoredScheduleKey,
  isBeingDeleted,
  isBlocking,
  isSameInstant,
  isSuspendedAt,
  latest,
  MAX_MISSED,
  manualJobName,
  parseInstant,
  showsSuspension,
  truncateToSeconds,
  voidThrough,
} from './facts.ts';
import { wasRunActiveAt } from './handled-rules.ts';
import type { DelayedSlots } from './jitter.ts';
import type { Ledger } from './ledger.ts';
import type { ObservedReconcile } from './observed-reconcile.ts';
import { checkStartWhilePaused } from './pause-rules.ts';
import type { RunRecord } from './run-book.ts';
import { readTimetable } from './timetable.ts';

/** A created Job. */
export interface StartedJob {
  readonly job: Job;
  readonly observed: ObservedReconcile;
  /** The CronJob as the reconcile saw it. */
  readonly view: CronJob;
  readonly ledger: Ledger;
  /** The CronJob's other Jobs, in their real state. */
  readonly siblings: readonly Job[];
  /** The clock read of the reconcile. */
  readonly now: Date;
  /** Reports an event that must happen in at least one of the years. */
  readonly reportEffect: (effect: Effect) => void;
}

export function checkStart(start: StartedJob): readonly string[] {
  const slot = getSlot(start.job);
  const { ledger } = start;
  return [
    ...checkOwnership(start),
    ...checkContext(start),
    ...checkConcurrency(start),
    ...(slot ? checkSlotRun(start) : checkManualRun(start)),
    ...(slot && !ledger.wasPruned && !start.observed.isOrphaned ? checkStartWhilePaused({ ...start, slot }) : []),
  ];
}

export function checkOwnership({ job, view }: StartedJob): readonly string[] {
  const owner = job.metadata.ownerReferences?.[0];
  return findBrokenRules({
    'a Job has its CronJob as controller': owner?.uid === view.metadata.uid && owner.controller === true,
    'a Job has blockOwnerDeletion': owner?.blockOwnerDeletion === true,
    'a Job has the labels of the template': job.metadata.labels?.['app'] === 'simulated',
    'no run starts for a CronJob that is being deleted': !isBeingDeleted(view),
  });
}

export function checkConcurrency({ siblings, observed, view, now }: StartedJob): readonly string[] {
  const { concurrencyPolicy } = view.spec;
  const limit = getRunLimit(view);
  const rivals = siblings.filter((sibling) => isBlocking(sibling, view) && observed.knewJob(sibling.metadata.uid));
  return findBrokenRules({
    [`no run starts beside ${limit} active ones`]: rivals.length < limit,
    'Replace starts no run beside an active one that is not being deleted':
      concurrencyPolicy !== 'Replace' || rivals.every((rival) => isBeingDeleted(rival) || isAhead(rival, now)),
  });
}

/** A manager with a fast clock has started the run. Its Job must stay, so that the run does not start again. */
function isAhead(job: Job, now: Date): boolean {
  return latest(getSlot(job)) > now;
}

function checkSlotRun(start: StartedJob): readonly string[] {
  const { job, view, ledger, now } = start;
  const slot = getSlot(job) ?? now;
  const schedule = ledger.getSlots(view, now);
  if (schedule === undefined) return ['no run starts with an invalid schedule'];
  const deadlineMs = getDeadlineMs(view);
  const startTime = schedule.startOf(slot);
  if (!isMainSlot(start, slot)) start.reportEffect('slot of an additional schedule');
  if (startTime > slot) start.reportEffect('start delayed by jitter');
  return findBrokenRules({
    'a Job is named after its slot': job.metadata.name === `${view.metadata.name}-${slot.getTime() / 1000}`,
    'a Job has its slot in the time zone of the CronJob':
      job.metadata.annotations?.[SCHEDULED_TIMESTAMP_ANNOTATION] === formatInZone(slot, view.spec.timeZone),
    'no run starts during a suspension': !isSuspendedAt(view.spec, now),
    'no slot from before suspendUntil starts': slot > voidThrough(view, now),
    'no excluded slot starts': !schedule.isExcluded(slot),
    'the slot belongs to the current schedule': schedule.previous(slot)?.getTime() === slot.getTime(),
    'no slot starts before its time': startTime <= now,
    'under Skip, no slot starts that came while a run was active':
      view.spec.concurrencyPolicy !== 'Skip' || !wasRunActiveAt(startTime, view.status, start.observed),
    ...latestOrOldestRules(start, { slot, schedule }),
    'no slot starts after its deadline': deadlineMs === undefined || startTime.getTime() > now.getTime() - deadlineMs,
    ...onlyOnceRules(start, slot),
  });
}

function latestOrOldestRules(
  start: StartedJob,
  { slot, schedule }: { readonly slot: Date; readonly schedule: DelayedSlots },
): Readonly<Record<string, boolean>> {
  const { view, now, observed } = start;
  const isNewest = (schedule.next(slot) ?? new Date(8e15)) > schedule.startedThrough(now);
  const limit = getCatchUpLimit(view);
  const isWithinLimit = () => listUnmet(start, schedule, MAX_MISSED + 1).length <= MAX_MISSED;
  if (limit === undefined) {
    return {
      'only the newest unmet slot starts': isNewest,
      'no slot starts when more than 100 were missed': isWithinLimit(),
    };
  }
  const [oldest = slot] = listUnmet(start, schedule, limit);
  if (!isNewest) start.reportEffect('caught up');
  const isResuming = showsSuspension(view.status);
  return {
    [`the oldest slot to catch up starts (${oldest.toISOString()})`]:
      isSameInstant(oldest, slot) || (isNewest && isResuming && isWithinLimit()) || observed.isOrphaned,
  };
}

/** Whether `spec.schedule` alone has the slot. */
function isMainSlot({ view, ledger, now }: StartedJob, slot: Date): boolean {
  const { schedules: _, ...spec } = view.spec;
  if (view.spec.schedules === undefined) return true;
  const parsed = readTimetable(spec, ledger.getExpectedSince(view, now));
  return parsed.kind === 'ok' && isSameInstant(parsed.slots.previous(slot), slot);
}

function onlyOnceRules({ view, ledger, observed, now }: StartedJob, slot: Date): Readonly<Record<string, boolean>> {
  const { status } = view;
  // An edit back to the schedule that the status knows, between two reconciles: no reconcile sees it.
  const isEditVisible = getStoredScheduleKey(view) !== getScheduleKey(view);
  const earlier = ledger.getRun(slot);
  const observedSlots = [...observed.jobs.values()]
    .map((job) => getSlot(job))
    .filter((time) => time !== undefined && time <= now);
  return {
    'no slot that an edit has made void starts':
      ledger.wasSkewed || !isEditVisible || slot > truncateToSeconds(ledger.getInForceSince(view)),
    'no slot from before the schedule took effect starts': slot > ledger.getExpectedSince(view, now),
    'no slot that the status has as handled starts':
      slot > latest(parseInstant(status?.lastScheduleTime), parseInstant(status?.handledThrough)),
    'no slot starts when a Job of it or of a later slot exists': slot > latest(...observedSlots),
    // A Job that was gone before any status reported it looks like a Job that never existed. A request that a process sent before it died
    // cannot be cancelled: it may arrive when the run that the next process started is over and gone.
    'a process does not start a slot again after it has read its Job':
      earlier === undefined || !observed.hasReadJob(earlier.job.metadata.uid) || isDroppedFromStatus(earlier, view),
    'no slot starts twice': earlier === undefined || (earlier.isGone && (ledger.floor < slot || observed.isOrphaned)),
  };
}

/** A clock that was ahead has started it: until its time, only the list shows it, and a full list may have dropped it. */
function isDroppedFromStatus({ job: { metadata }, slot, isGone }: RunRecord, { status }: CronJob): boolean {
  const isListed = (status?.recentRuns ?? []).some((line) => parseRecentRun(line)?.jobName === metadata.name);
  return isGone && !isListed && new Date(metadata.creationTimestamp) < latest(slot);
}

/** The newest unmet slots, the oldest first, at most `limit`. */
function listUnmet(
  { view, ledger, observed, now }: StartedJob,
  schedule: DelayedSlots,
  limit: number,
): readonly Date[] {
  const { status } = view;
  const deadlineMs = getDeadlineMs(view);
  const observedSlots = [...observed.jobs.values()]
    .map((job) => getSlot(job))
    .filter((slot) => slot !== undefined && slot <= now);
  // A process remembers its starts, even when no status has recorded them.
  const rememberedSlots = [...ledger.runs.values()]
    .filter((run) => observed.hasReadJob(run.job.metadata.uid))
    .map((run) => run.slot);
  const stored = [parseInstant(status?.lastScheduleTime), parseInstant(status?.handledThrough), ...rememberedSlots];
  const inTime = deadlineMs === undefined ? undefined : schedule.startedThrough(new Date(now.getTime() - deadlineMs));
  const floor = latest(
    ledger.getExpectedSince(view, now),
    inTime,
    voidThrough(view, now),
    ledger.pausedUntil,
    ...stored,
    ...observedSlots,
  );
  const slots: Date[] = [];
  let slot = schedule.previous(schedule.startedThrough(now));
  while (slot !== undefined && slot > floor && slots.length < limit) {
    slots.unshift(slot);
    slot = schedule.previous(new Date(slot.getTime() - 1000));
  }
  return slots;
}

/** Whether a client has set the annotation without the spec, and not before the creation. */
function isSetAfterCreation({ metadata }: CronJob): boolean {
  const entries = metadata.managedFields ?? [];
  const owners = entries.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes(RUN_NOW_ANNOTATION));
  const isSetAlone = owners.every(({ fieldsV1 }) => !JSON.stringify(fieldsV1).includes('"f:spec"'));
  return isSetAlone && owners.some(({ time }) => latest(parseInstant(time)) >= new Date(metadata.creationTimestamp));
}

function checkManualRun({ job, view, ledger, observed }: StartedJob): readonly string[] {
  const value = view.metadata.annotations?.[RUN_NOW_ANNOTATION];
  if (value === undefined) return ['a manual run starts only with the run-now annotation'];
  const earlier = [...ledger.runs.values()].find((run) => run.value === value);
  const isHandled = ledger.handledValues.has(value) && !observed.isOrphaned;
  return findBrokenRules({
    'a manual run is named after its run-now value': job.metadata.name === manualJobName(view, value),
    'a run-now value from the creation starts no run':
      view.status?.observedGeneration !== undefined || isSetAfterCreation(view),
    'a run-now value starts one run': view.status?.lastManualRun !== value && !isHandled,
    'a run-now value is not handled twice': earlier === undefined || earlier.isGone,
    'a process does not handle a run-now value again after it has read its Job':
      earlier === undefined || !observed.hasReadJob(earlier.job.metadata.uid),
  });
}
