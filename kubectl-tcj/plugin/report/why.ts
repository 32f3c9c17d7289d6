/** Explains the state of a CronJob, from its object alone. */
import { getCondition } from 'controller-runtime/kubernetes';
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { GROUP, PLURAL, REVERTING_IMPORT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { parseRecentRun } from '../../../api/v1/recent-lines.ts';
import type { StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { warnAboutExpectSuccess } from '../../../api/v1/watch-warnings.ts';
import { shownDuration } from '../terminal/times.ts';
import type { Answer, Known, PodsTold } from './answer.ts';
import { isPaused, isResumeUnseen, isSuspensionUnseen } from './asked.ts';
import { commandFor, type Remedy, withKubectl } from './remedy.ts';
import { activeRun, type RunReport, reportOf, runNamed } from './run-named.ts';
import { neverFires } from './schedule-of.ts';
import {
  joined,
  leftOutSentence,
  nextSentence,
  resumedSentence,
  SEE_MANAGER,
  skipSentence,
  timeFrom,
  waitingSentence,
} from './sentences.ts';
import { lateSlot, standingAsRead } from './standing.ts';
import { type Entry, timelineOf, waitingRuns } from './timeline.ts';
import { whySkipped } from './why-skipped.ts';

/** @param pods Report on the Pods of {@link Answer.run}. */
export function why(cronJob: StoredCronJob, now: Date, pods?: PodsTold): Answer {
  const answer = whyAsRead(cronJob, { now, pods });
  const { invalidValues, metadata } = cronJob;
  if (invalidValues === undefined) return answer;
  const sentence = `The stored object is malformed, so these fields are ignored: ${invalidValues.join('; ')}. ${answer.sentence}`;
  // The manager rewrites its status.
  if (invalidValues.every((each) => each.startsWith('status'))) return { ...answer, sentence };
  const { name, namespace } = metadata;
  return {
    ...answer,
    ...withKubectl('correct the object', 'edit', `${PLURAL}.${GROUP}`, name, '-n', namespace),
    sentence,
  };
}

/** Reasons of the condition Available that are more important than a suspension. */
const UNREADABLE: readonly (string | undefined)[] = ['UnparseableSchedule', 'UnknownTimeZone'];

function whyAsRead(cronJob: CronJob, known: Known): Answer {
  const { now } = known;
  const { conditions } = cronJob.status ?? {};
  const standing = standingAsRead(cronJob, now);
  const isReadable = !UNREADABLE.includes(getCondition(conditions, 'Available')?.reason);
  // A suspension is why no run starts, whatever else is wrong.
  if (isSuspendedAt(cronJob.spec, now) && isReadable && standing !== 'Unobserved')
    return suspendedAnswer(cronJob, known);
  const degraded = sentenceOf(getCondition(conditions, 'Degraded')?.message);
  switch (standing) {
    case 'Unobserved':
      return { sentence: 'No manager has reconciled it yet.', change: SEE_MANAGER };
    case 'Invalid':
      return { sentence: `It never runs: ${degraded}`, change: 'correct the schedule or the time zone' };
    case 'Blocked':
      return {
        sentence: `A run cannot start: ${degraded}`,
        change: 'fix the cause; the run then starts by itself, unless its deadline has passed',
      };
    case 'Late':
      return lateAnswer(cronJob, known);
    case 'Overdue':
      // A pause is why no run can succeed, and nothing else ends it.
      return isPaused(cronJob)
        ? pausedAnswer(cronJob, known, overdueSentence(cronJob, now))
        : overdueAnswer(cronJob, known);
    case 'Paused':
      return pausedAnswer(cronJob, known, '');
    case 'Degraded':
      return { sentence: degraded, change: 'check its events with kubectl describe' };
    case 'Malformed':
    case 'Failed':
    case 'Running':
    case 'Waiting':
    case 'Suspended':
      return withNext(cronJob, known, '');
    case 'OK':
      return withNext(cronJob, known, isResumeUnseen(cronJob, now) ? '' : 'Nothing is wrong.');
  }
}

/** The messages of conditions are not sentences. */
function sentenceOf(message = 'the status does not say why'): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

function suspendedAnswer(cronJob: CronJob, known: Known): Answer {
  const { now } = known;
  const { suspend, suspendUntil } = cronJob.spec;
  const until = suspend ? undefined : parseTime(suspendUntil);
  const { sentence, run } = pastOf(cronJob, known);
  const degraded = getCondition(cronJob.status?.conditions, 'Degraded');
  const isOff = neverFires(cronJob, now);
  const isReverting = cronJob.metadata.annotations?.[REVERTING_IMPORT_ANNOTATION] !== undefined;
  return {
    sentence: joined(
      until === undefined
        ? 'No run starts: spec.suspend is true.'
        : `No run starts before ${timeFrom(cronJob, until, now)}, because of spec.suspendUntil.`,
      isOff ? 'Its schedule also matches no time within five years.' : '',
      until && leftOutSentence(cronJob, now, until),
      isSuspensionUnseen(cronJob, now) ? 'No manager has reconciled the suspension yet.' : '',
      degraded?.reason === 'FailedCreate' ? `A run could not start: ${sentenceOf(degraded.message)}` : '',
      sentence === NO_RUN_YET ? '' : sentence,
      waitingSentence(cronJob),
    ),
    ...(run && { run }),
    ...(isOff && !isReverting && { change: 'to run it, correct the schedule, then resume it' }),
    ...(isReverting ? finishingRevert(cronJob) : resuming(cronJob)),
  };
}

function resuming(cronJob: CronJob): Remedy {
  return { command: { kind: 'Resume', line: commandFor('resume', cronJob) } };
}

function finishingRevert(cronJob: CronJob): Remedy {
  const line = commandFor('import', cronJob, '--revert');
  return { change: 'finish the revert to batch/v1', command: { kind: 'Other', line } };
}

function lateAnswer(cronJob: CronJob, known: Known): Answer {
  const { now } = known;
  const slot = lateSlot(cronJob, now);
  const { sentence, run } = pastOf(cronJob, known);
  const late = `The run of ${slot && timeFrom(cronJob, slot, now)} has not started, and no manager has reported why.`;
  return { sentence: `${late} ${sentence}`, ...(run && { run }), change: SEE_MANAGER };
}

/** Shows the times of the condition in the format of all other times. */
function overdueSentence(cronJob: CronJob, now: Date): string {
  const { spec, status } = cronJob;
  const success = parseTime(status?.lastSuccessfulTime);
  const since =
    success === undefined ? 'no run has succeeded' : `the last success was ${timeFrom(cronJob, success, now)}`;
  return `It is overdue: ${since}; spec.expectSuccessWithinSeconds is ${spec.expectSuccessWithinSeconds}.`;
}

/** A problem that no run can fix comes before any other remedy. */
function overdueAnswer(cronJob: CronJob, known: Known): Answer {
  const { now } = known;
  const [isTooSparse] = warnAboutExpectSuccess(cronJob.spec, { now });
  const answer = withNext(cronJob, known, overdueSentence(cronJob, now));
  if (isTooSparse === undefined) return answer;
  const { command: _, ...others } = answer;
  return { ...others, change: isTooSparse };
}

function pausedAnswer(cronJob: CronJob, known: Known, besides: string): Answer {
  const { paused, consecutiveFailures } = cronJob.status ?? {};
  const since = parseTime(paused?.since);
  const from = since === undefined ? '' : ` since ${timeFrom(cronJob, since, known.now)}`;
  const runs = consecutiveFailures === 1 ? 'the last run' : `the last ${consecutiveFailures} runs`;
  const first = joined(`No run starts${from}: ${runs} failed.`, besides);
  return { ...withNext(cronJob, known, first), change: 'fix the cause, then resume it', ...resuming(cronJob) };
}

function withNext(cronJob: CronJob, known: Known, first: string): Answer {
  const { now, pods } = known;
  const past = pastOf(cronJob, known);
  const [newest] = timelineOf(cronJob).entries;
  const replaced = replacedRuns(cronJob);
  const sentence = joined(
    first,
    resumedSentence(cronJob, newest?.at, now),
    past.sentence,
    waitingSentence(cronJob),
    replaced && `The next run replaced each of ${replaced} before it finished (concurrencyPolicy Replace).`,
    nextSentence(cronJob, now),
  );
  if (past.change === undefined) return { ...past, sentence };
  const change = [blockedChange(cronJob, pods), replaced && LEAVE_TIME, past.change].filter((text) => text).join('; ');
  return { ...past, sentence, change };
}

const LEAVE_TIME = 'if runs should finish, leave more time between them or set concurrencyPolicy to Forbid';

/** A single run may have been slow. */
const MIN_REPLACED = 2;

/**
 * The newest runs that the next run ended before they finished (concurrencyPolicy Replace). Some are meant to run until then;
 * others never finish. `undefined` when this may be chance.
 */
function replacedRuns({ spec, status }: CronJob): string | undefined {
  if (spec.concurrencyPolicy !== 'Replace') return undefined;
  const results = status?.recentRuns?.map((line) => parseRecentRun(line)?.result) ?? [];
  const ended = results.slice(results.findIndex((result) => result !== 'Running'));
  const other = ended.findIndex((result) => result !== 'Replaced');
  const count = other < 0 ? ended.length : other;
  if (count < MIN_REPLACED) return undefined;
  return results[0] === 'Replaced' ? `the last ${count} runs` : `the previous ${count} runs`;
}

/** The first remedy when a run waits for the active run. */
function blockedChange(cronJob: CronJob, pods: PodsTold | undefined): string | undefined {
  const active = waitingRuns(cronJob).length > 0 ? activeRun(cronJob) : undefined;
  if (active === undefined) return undefined;
  const { jobName } = active;
  const told = pods?.jobName === jobName ? pods : undefined;
  if (told?.isHeld) return undefined;
  // The next run would wait for the same.
  if (told?.notStarted) return 'set startTimeoutSeconds to end such runs, so that the next run can start';
  return `if it hangs, delete Job ${jobName} so that the next run starts, and set activeDeadlineSeconds to end such runs`;
}

const NO_RUN_YET = 'It has not run yet.';

/** The last run or skip, and the active run. */
function pastOf(cronJob: CronJob, known: Known): Answer {
  const [newest] = timelineOf(cronJob).entries;
  const active = activeRun(cronJob);
  const isTold = newest?.kind === 'Run' && newest.run.jobName === active?.jobName;
  const beside = active && !isTold ? runAnswer(cronJob, active, known) : undefined;
  if (newest !== undefined) {
    const last = entryAnswer(cronJob, newest, known);
    return beside === undefined ? last : { ...last, ...beside, sentence: `${last.sentence} ${beside.sentence}` };
  }
  if (beside !== undefined) return beside;
  // The status lists no runs (a recentRunsLimit of 0).
  const { lastRun } = cronJob.status ?? {};
  const report = lastRun && runNamed(cronJob, lastRun.jobName);
  return report === undefined ? { sentence: NO_RUN_YET } : runAnswer(cronJob, report, known);
}

/** The report on a scheduled time, or on another run. */
export function entryAnswer(cronJob: CronJob, entry: Entry, known: Known, slot = entry.at): Answer {
  if (entry.kind === 'Run') return runAnswer(cronJob, reportOf(cronJob, entry.run), known);
  const sentence = skipSentence(cronJob, slot, entry.skip);
  const { change } = whySkipped(entry.skip);
  // A pause that has ended needs no action.
  const isOver = entry.skip.reason === 'Paused' && !isPaused(cronJob);
  return { sentence, ...(change !== undefined && !isOver && { change }) };
}

/** The state of a run, with the report on its Pods. */
function runAnswer(cronJob: CronJob, report: RunReport, { now, pods }: Known): Answer {
  const { jobName, name, result, reason, createdTime } = report;
  const told = pods?.jobName === jobName ? pods : undefined;
  const { notStarted } = told ?? {};
  const forMs = notStarted && now.getTime() - Date.parse(notStarted.since);
  const sentence =
    forMs === undefined ? report.sentence : `${name} has not started for ${shownDuration(forMs)}: ${notStarted?.why}.`;
  const remedy = told?.remedy ?? remedyFor(cronJob, report, told?.areGone);
  const whole = { sentence: joined(sentence, told?.sentence), ...remedy };
  if (result !== 'Running' && result !== 'Failed') return whole;
  const run = { jobName, result, ...(reason !== undefined && { reason }), ...(createdTime && { createdTime }) };
  return { ...whole, run };
}

/** The remedy without the report on its Pods. Empty when the logs are gone or the run succeeded. */
function remedyFor(cronJob: CronJob, { jobName, result, reason }: RunReport, areGone = false): Remedy {
  const command = { kind: 'Logs', line: commandFor('logs', cronJob, '--run', jobName) } as const;
  if (result === 'Running') return { change: 'see its logs', command };
  if (result !== 'Failed') return {};
  if (reason === 'StartTimeout') {
    return { change: 'fix what its Pods waited for (see the message), or increase startTimeoutSeconds' };
  }
  return areGone ? {} : { change: 'see its logs', command };
}
