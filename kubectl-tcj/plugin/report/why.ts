/** Why a CronJob stands as it does, from its object alone. */
import { getCondition } from 'controller-runtime/kubernetes';
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { REVERTING_IMPORT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import type { StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { onExpectSuccess } from '../../../api/v1/watch-warnings.ts';
import type { Answer } from './answer.ts';
import { isPaused, isResumeUnseen, isSuspensionUnseen } from './asked.ts';
import { leftOutSentence } from './left-out.ts';
import { malformedRemedy, malformedSentence } from './malformed.ts';
import { commandFor, type Remedy, type RemedyCommand } from './remedy.ts';
import { replacedChange, replacedSentence } from './replaced-runs.ts';
import { runNamed } from './run-named.ts';
import { neverFires } from './schedule-of.ts';
import { nextSentence, resumedSentence, runSentence, skipSentence, timeFrom } from './sentences.ts';
import { lateSlot, standingAsRead } from './standing.ts';
import { type Entry, timelineOf } from './timeline.ts';
import { activeRun, asTold, type Known, type PodsTold, withPods } from './told-run.ts';
import { waitingRuns, waitingSentence } from './waiting-runs.ts';
import { whySkipped } from './why-skipped.ts';

/** @param pods What is known of those of {@link Answer.run}. */
export function why(cronJob: StoredCronJob, now: Date, pods?: PodsTold): Answer {
  const answer = whyAsRead(cronJob, { now, pods });
  if (cronJob.oddities === undefined) return answer;
  const sentence = `${malformedSentence(cronJob.oddities)} ${answer.sentence}`;
  return { ...answer, ...malformedRemedy(cronJob, cronJob.oddities), sentence };
}

function whyAsRead(cronJob: CronJob, known: Known): Answer {
  const { now } = known;
  const { status = {} } = cronJob;
  const messageOf = (type: string) => sentenceOf(getCondition(status.conditions, type)?.message);
  const standing = standingAsRead(cronJob, now);
  const isReadable = !UNREADABLE.includes(getCondition(status.conditions, 'Available')?.reason);
  // Whatever else is wrong: this is why nothing starts.
  if (isSuspendedAt(cronJob.spec, now) && isReadable && standing !== 'Unobserved')
    return suspendedAnswer(cronJob, known);
  switch (standing) {
    case 'Unobserved':
      return {
        sentence: 'No controller has looked at it yet.',
        change: 'see whether the manager runs, and whether it watches this namespace',
      };
    case 'Invalid':
      return { sentence: `It never runs: ${messageOf('Degraded')}`, change: 'correct the schedule or the time zone' };
    case 'Blocked':
      return {
        sentence: `A run cannot start: ${messageOf('Degraded')}`,
        change: 'remove what is in the way; the run then starts by itself, unless its deadline has passed',
      };
    case 'Late':
      return lateAnswer(cronJob, known);
    case 'Overdue':
      // A pause is why no run can succeed, and nothing else ends it.
      return isPaused(cronJob)
        ? pausedAnswer(cronJob, known, overdueSentence(cronJob, now))
        : overdueAnswer(cronJob, known);
    case 'Paused':
      return pausedAnswer(cronJob, known);
    case 'Degraded':
      return { sentence: messageOf('Degraded'), change: 'see the events in kubectl describe' };
    case 'Malformed':
    case 'Failed':
    case 'Running':
    case 'Waiting':
    case 'Suspended':
      return withNext(cronJob, known);
    case 'OK':
      return withNext(cronJob, known, isResumeUnseen(cronJob, now) ? '' : 'Nothing is wrong.');
  }
}

/** What no run can change comes before anything else that could be done. */
function overdueAnswer(cronJob: CronJob, known: Known): Answer {
  const { now } = known;
  const [isTooSparse] = onExpectSuccess(cronJob.spec, { now });
  const answer = withNext(cronJob, known, overdueSentence(cronJob, now));
  if (isTooSparse === undefined) return answer;
  const { command: _, ...others } = answer;
  return { ...others, change: isTooSparse };
}

/** The times of its condition, in the form of all others. */
function overdueSentence(cronJob: CronJob, now: Date): string {
  const { spec, status } = cronJob;
  const success = parseTime(status?.lastSuccessfulTime);
  const since =
    success === undefined ? 'no run has succeeded' : `the last success was ${timeFrom(cronJob, success, now)}`;
  return `It is overdue: ${since}; spec.expectSuccessWithinSeconds is ${spec.expectSuccessWithinSeconds}.`;
}

function pausedAnswer(cronJob: CronJob, known: Known, besides = ''): Answer {
  const first = `${pausedSentence(cronJob, known.now)}${besides && ` ${besides}`}`;
  return { ...withNext(cronJob, known, first), change: 'fix the cause, then', ...resuming(cronJob) };
}

/** Reasons of the condition Available that come before a suspension. */
const UNREADABLE: readonly (string | undefined)[] = ['UnparseableSchedule', 'UnknownTimeZone'];

/** The messages of conditions are no sentences. */
function sentenceOf(message = 'the status does not say why'): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

function pausedSentence(cronJob: CronJob, now: Date): string {
  const { paused, consecutiveFailures } = cronJob.status ?? {};
  const since = parseTime(paused?.since);
  const from = since === undefined ? '' : ` since ${timeFrom(cronJob, since, now)}`;
  return `No run starts${from}: ${consecutiveFailures} in a row have failed.`;
}

function suspendedAnswer(cronJob: CronJob, known: Known): Answer {
  const { now } = known;
  const { suspend, suspendUntil } = cronJob.spec;
  const until = suspend ? undefined : parseTime(suspendUntil);
  const stop =
    until === undefined
      ? 'No run starts: spec.suspend is true.'
      : `No run starts before ${timeFrom(cronJob, until, now)}: that is spec.suspendUntil.`;
  const { sentence, run } = pastOf(cronJob, known);
  const degraded = getCondition(cronJob.status?.conditions, 'Degraded');
  const isOff = neverFires(cronJob, now);
  const texts = [
    stop,
    isOff ? NO_TIME_COMES : '',
    (until && leftOutSentence(cronJob, now, until)) ?? '',
    isSuspensionUnseen(cronJob, now) ? 'No manager has seen that yet.' : '',
    degraded?.reason === 'FailedCreate' ? `A run could not start: ${sentenceOf(degraded.message)}` : '',
    sentence === NO_RUN_YET ? '' : sentence,
    waitingSentence(cronJob),
  ];
  const isReverting = cronJob.metadata.annotations?.[REVERTING_IMPORT_ANNOTATION] !== undefined;
  return {
    sentence: texts.filter((text) => text !== '').join(' '),
    ...(run && { run }),
    ...(isOff && !isReverting && { change: 'to run it, change the schedule, then' }),
    ...(isReverting ? finishingRevert(cronJob) : resuming(cronJob)),
  };
}

const NO_TIME_COMES = 'Its schedule matches no time within five years either.';

function resuming(cronJob: CronJob): Remedy {
  return { command: { kind: 'Resume', line: commandFor('resume', cronJob) } };
}

function finishingRevert(cronJob: CronJob): Remedy {
  const line = commandFor('import', cronJob, '--revert');
  return { change: 'finish its way back to batch/v1', command: { kind: 'Other', line } };
}

function lateAnswer(cronJob: CronJob, known: Known): Answer {
  const { now } = known;
  const slot = lateSlot(cronJob, now);
  const { sentence, run } = pastOf(cronJob, known);
  return {
    sentence: `The run of ${slot && timeFrom(cronJob, slot, now)} has not started, and no manager says why. ${sentence}`,
    ...(run && { run }),
    change: 'see whether the manager runs, and whether it watches this namespace',
  };
}

const NO_RUN_YET = 'It has not run yet.';

/** What happened last, and what is active beside it. */
function pastOf(cronJob: CronJob, known: Known): Answer {
  const [newest] = timelineOf(cronJob).entries;
  const active = activeRun(cronJob);
  const isTold = newest?.kind === 'Run' && newest.run.jobName === active?.told.jobName;
  const beside = active && !isTold ? runningAnswer(cronJob, active, known) : undefined;
  if (newest === undefined) return beside ?? lastRunAnswer(cronJob, known);
  const last = entryAnswer(cronJob, newest, known);
  return beside === undefined ? last : { ...last, ...beside, sentence: `${last.sentence} ${beside.sentence}` };
}

function runningAnswer(
  cronJob: CronJob,
  { told, sentence }: NonNullable<ReturnType<typeof activeRun>>,
  known: Known,
): Answer {
  const { jobName } = told;
  return {
    sentence: withPods(cronJob, { jobName, sentence }, known),
    run: told,
    ...(remedyOfPods(jobName, known.pods) ?? logsOfRunning(cronJob, jobName)),
  };
}

/** Where the status lists no runs (a recentRunsLimit of 0). */
function lastRunAnswer(cronJob: CronJob, known: Known): Answer {
  const { pods } = known;
  const { lastRun } = cronJob.status ?? {};
  const report = lastRun && runNamed(cronJob, lastRun.jobName);
  if (lastRun === undefined || report === undefined) return { sentence: NO_RUN_YET };
  const { jobName } = lastRun;
  const { result, sentence } = report;
  const run = asTold({ jobName, result, ...(lastRun.reason !== undefined && { reason: lastRun.reason }) });
  const remedy = run && (remedyOfPods(jobName, pods) ?? logsOf(cronJob, jobName, pods));
  return {
    sentence: withPods(cronJob, { jobName, sentence }, known),
    ...(run && { run }),
    ...remedy,
  };
}

/** What became of a scheduled time, or of another run. */
export function entryAnswer(cronJob: CronJob, entry: Entry, known: Known, slot = entry.at): Answer {
  const remedy = remedyFor(cronJob, entry, known.pods);
  if (entry.kind === 'Skip') return { sentence: skipSentence(cronJob, slot, entry.skip), ...remedy };
  const run = asTold(entry.run);
  return {
    sentence: withPods(cronJob, { jobName: entry.run.jobName, sentence: runSentence(cronJob, entry.run) }, known),
    ...remedy,
    ...(run && { run }),
  };
}

function withNext(cronJob: CronJob, known: Known, first = ''): Answer {
  const { now, pods } = known;
  const past = pastOf(cronJob, known);
  const [newest] = timelineOf(cronJob).entries;
  const resumed = resumedSentence(cronJob, newest?.at, now);
  const beside = [waitingSentence(cronJob), replacedSentence(cronJob)];
  const texts = [first, resumed, past.sentence, ...beside, nextSentence(cronJob, now)];
  const before = past.change === undefined ? '' : `${blockedChange(cronJob, pods)}${replacedChange(cronJob)}`;
  const sentence = texts.filter((text) => text !== '').join(' ');
  return { ...past, sentence, ...(before !== '' && { change: `${before}${past.change}` }) };
}

/** Said first, where a run waits for the one that is active. Empty where none does. */
function blockedChange(cronJob: CronJob, pods: PodsTold | undefined): string {
  const active = waitingRuns(cronJob).length > 0 ? activeRun(cronJob) : undefined;
  if (active === undefined) return '';
  const { jobName } = active.told;
  const told = pods?.jobName === jobName ? pods : undefined;
  if (told?.isHeld) return '';
  // The next one would wait for the same.
  if (told?.notStarted) return 'startTimeoutSeconds would end such a run, so that the next one starts; ';
  return `if it hangs, delete Job ${jobName}, so that the next run starts (activeDeadlineSeconds would end such a run); `;
}

/** What to do after a run failed, or a time was skipped. Empty where nothing is. */
function remedyFor(cronJob: CronJob, entry: Entry, pods: PodsTold | undefined): Remedy {
  if (entry.kind === 'Skip') {
    const { change } = whySkipped(entry.skip);
    // Nothing is left to do about a pause that has ended.
    const isOver = entry.skip.reason === 'Paused' && !isPaused(cronJob);
    return change === undefined || isOver ? {} : { change };
  }
  const { result, jobName, reason } = entry.run;
  const told = remedyOfPods(jobName, pods);
  if (told !== undefined) return told;
  if (result === 'Running') return logsOfRunning(cronJob, jobName);
  if (result !== 'Failed') return {};
  if (reason === 'StartTimeout')
    return { change: 'see what its Pods waited for in the message, or raise startTimeoutSeconds' };
  return logsOf(cronJob, jobName, pods);
}

function remedyOfPods(jobName: string, pods: PodsTold | undefined): Remedy | undefined {
  return pods?.jobName === jobName ? pods.remedy : undefined;
}

/** Nothing where what it printed is gone. */
function logsOf(cronJob: CronJob, jobName: string, pods: PodsTold | undefined): Remedy {
  if (pods?.jobName === jobName && pods.areGone) return {};
  return { change: 'see what it printed', command: readingLogs(cronJob, jobName) };
}

function logsOfRunning(cronJob: CronJob, jobName: string): Remedy {
  return { change: 'see what it prints', command: readingLogs(cronJob, jobName) };
}

function readingLogs(cronJob: CronJob, jobName: string): RemedyCommand {
  return { kind: 'Logs', line: commandFor('logs', cronJob, '--run', jobName) };
}
