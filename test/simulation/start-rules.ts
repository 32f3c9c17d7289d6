/** Rules for each Job that the manager creates. Each function returns the broken rules. */

import type { Job } from '../../api/kubernetes.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { RUN_NOW_ANNOTATION, SCHEDULED_TIMESTAMP_ANNOTATION } from '../../api/v1/groupversion.ts';
import { parseRecentRun } from '../../api/v1/recent-lines.ts';
import { formatInZone } from '../../api/v1/schedule.ts';
import type { Slots } from './calendar.ts';
import { context } from './context-rules.ts';
import {
  broken,
  clockwork,
  deadlineMsOf,
  instantOf,
  isActive,
  isGoing,
  isSuspendedAt,
  MOST_MISSED,
  manualName,
  newest,
  slotOf,
  storedClockwork,
  voidThrough,
  wholeSeconds,
} from './facts.ts';
import type { Ledger } from './ledger.ts';
import type { Pass } from './pass.ts';
import { startWhilePaused } from './pause-rules.ts';
import type { RunRecord } from './run-book.ts';

/** A created Job. */
export interface Start {
  readonly job: Job;
  readonly pass: Pass;
  /** The CronJob as the pass saw it. */
  readonly view: CronJob;
  readonly ledger: Ledger;
  /** The CronJob's other Jobs, in their real state. */
  readonly siblings: readonly Job[];
  /** The clock read of the pass. */
  readonly now: Date;
}

export function brokenByStart(start: Start): readonly string[] {
  const slot = slotOf(start.job);
  const { ledger } = start;
  return [
    ...ownership(start),
    ...context(start),
    ...concurrency(start),
    ...(slot ? slotRun(start) : manualRun(start)),
    ...(slot && !ledger.wasPruned && !start.pass.isOrphaned ? startWhilePaused({ ...start, slot }) : []),
  ];
}

function ownership({ job, view }: Start): readonly string[] {
  const owner = job.metadata.ownerReferences?.[0];
  return broken({
    'a Job points to its CronJob': owner?.uid === view.metadata.uid && owner.controller === true,
    'a Job blocks the deletion of its owner': owner?.blockOwnerDeletion === true,
    'a Job has the labels of the template': job.metadata.labels?.['app'] === 'simulated',
    'nothing is started for a CronJob that is being deleted': !isGoing(view),
  });
}

function concurrency({ siblings, pass, view }: Start): readonly string[] {
  const { concurrencyPolicy } = view.spec;
  const rivals = siblings.filter((sibling) => isActive(sibling) && pass.knew(sibling.metadata.uid));
  return broken({
    'Forbid starts nothing beside an active run': concurrencyPolicy !== 'Forbid' || rivals.length === 0,
    'Replace leaves no active run beside a new one': concurrencyPolicy !== 'Replace' || rivals.every(isGoing),
  });
}

function slotRun(start: Start): readonly string[] {
  const { job, view, ledger, now } = start;
  const slot = slotOf(job) ?? now;
  const schedule = ledger.schedule(view, now);
  if (schedule === undefined) return ['nothing is started by a schedule that cannot be read'];
  const deadlineMs = deadlineMsOf(view);
  return broken({
    'a Job is named after its slot': job.metadata.name === `${view.metadata.name}-${slot.getTime() / 1000}`,
    'a Job says its slot in the zone of the CronJob':
      job.metadata.annotations?.[SCHEDULED_TIMESTAMP_ANNOTATION] === formatInZone(slot, view.spec.timeZone),
    'nothing is started while suspended': !isSuspendedAt(view.spec, now),
    'nothing is started that was due while suspended up to a time': slot > voidThrough(view, now),
    'a slot is one of the schedule in force': schedule.previous(slot)?.getTime() === slot.getTime(),
    'no slot is started before its time': slot <= now,
    'only the newest unmet slot is started': (schedule.next(slot) ?? new Date(8e15)) > now,
    'no slot is started after its deadline': deadlineMs === undefined || slot.getTime() > now.getTime() - deadlineMs,
    ...onlyOnce(start, slot),
    'with more than 100 missed nothing is started': unmet(start, schedule) <= MOST_MISSED,
  });
}

function onlyOnce({ view, ledger, pass, now }: Start, slot: Date): Readonly<Record<string, boolean>> {
  const { status } = view;
  // An edit back to the schedule that the status knows, between two passes: no pass sees it.
  const isEditSeen = storedClockwork(view) !== clockwork(view);
  const earlier = ledger.runOfSlot(slot);
  const seenSlots = [...pass.jobs.values()]
    .map((job) => slotOf(job))
    .filter((seen) => seen !== undefined && seen <= now);
  return {
    'no slot is started that an edit made void':
      ledger.wasSkewed || !isEditSeen || slot > wholeSeconds(ledger.inForceSince(view)),
    'no slot is started from before the schedule was in force': slot > ledger.since(view, now),
    'no slot is started that the status has as settled':
      slot > newest(instantOf(status?.lastScheduleTime), instantOf(status?.handledThrough)),
    'no slot is started of which there is a Job, or of which there is a newer one': slot > newest(...seenSlots),
    // A Job that was gone before any status reported it looks like a Job that never existed. A request that a process sent before it died
    // cannot be cancelled: it may arrive when the run that the next process started is over and gone.
    'no process starts a slot again whose Job it has seen':
      earlier === undefined || !pass.hasSeen(earlier.job.metadata.uid) || isForgotten(earlier, view),
    'no slot is started twice': earlier === undefined || (earlier.isGone && (ledger.floor < slot || pass.isOrphaned)),
  };
}

/** A clock that was ahead has started it: until its time, only the list shows it, and a full list may have dropped it. */
function isForgotten({ job: { metadata }, slot, isGone }: RunRecord, { status }: CronJob): boolean {
  const isListed = (status?.recentRuns ?? []).some((line) => parseRecentRun(line)?.jobName === metadata.name);
  return isGone && !isListed && new Date(metadata.creationTimestamp) < newest(slot);
}

function unmet({ view, ledger, pass, now }: Start, schedule: Slots): number {
  const { status } = view;
  const deadlineMs = deadlineMsOf(view);
  const seen = [...pass.jobs.values()].map((job) => slotOf(job)).filter((slot) => slot !== undefined && slot <= now);
  // A process remembers its starts, even when no status has recorded them.
  const known = [...ledger.runs.values()].filter((run) => pass.hasSeen(run.job.metadata.uid)).map((run) => run.slot);
  const stored = [instantOf(status?.lastScheduleTime), instantOf(status?.handledThrough), ...known];
  const inTime = deadlineMs === undefined ? undefined : new Date(now.getTime() - deadlineMs);
  const floor = newest(ledger.since(view, now), inTime, voidThrough(view, now), ledger.stillUntil, ...stored, ...seen);
  return schedule.between(floor, now, { limit: MOST_MISSED + 1 }).length;
}

/** Whether a client has set the annotation without the spec, and not before the creation. */
function isSetLater({ metadata }: CronJob): boolean {
  const entries = metadata.managedFields ?? [];
  const owners = entries.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes(RUN_NOW_ANNOTATION));
  const isOnItsOwn = owners.every(({ fieldsV1 }) => !JSON.stringify(fieldsV1).includes('"f:spec"'));
  return isOnItsOwn && owners.some(({ time }) => newest(instantOf(time)) >= new Date(metadata.creationTimestamp));
}

function manualRun({ job, view, ledger, pass }: Start): readonly string[] {
  const value = view.metadata.annotations?.[RUN_NOW_ANNOTATION];
  if (value === undefined) return ['a run without a slot is started only when somebody asks for it'];
  const earlier = [...ledger.runs.values()].find((run) => run.value === value);
  const isServed = ledger.servedValues.has(value) && !pass.isOrphaned;
  return broken({
    'a run by hand is named after its value': job.metadata.name === manualName(view, value),
    'a value that came with the manifest starts nothing':
      view.status?.observedGeneration !== undefined || isSetLater(view),
    'a value starts one run': view.status?.lastManualRun !== value && !isServed,
    'a value is not served twice': earlier === undefined || earlier.isGone,
    'no process serves a value again whose Job it has seen':
      earlier === undefined || !pass.hasSeen(earlier.job.metadata.uid),
  });
}
