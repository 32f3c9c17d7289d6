/** Explains the state of a CronJob, from its object alone. */
import { getCondition } from 'controller-runtime/kubernetes';
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { GROUP, PLURAL, REVERTING_IMPORT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { parseRecentRun } from '../../../api/v1/recent-lines.ts';
import type { StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { warnAboutExpectSuccess } from '../../../api/v1/watch-warnings.ts';
import { formatDuration } from '../terminal/times.ts';
import { neverFires } from './cron-job-schedule.ts';
import { computeStateOfValidFields, findLateSlot } from './cron-job-state.ts';
import { explainSkip } from './explain-skip.ts';
import type { CronJobExplanation, ExplainInput, PodReport } from './explanation.ts';
import { createKubectlRemedy, formatTcjCommand, type Remedy } from './remedy.ts';
import { findActiveRun, findRunReport, type RunReport, reportRun } from './run-report.ts';
import {
  CHECK_MANAGER,
  describeNextRun,
  describeResume,
  describeSkip,
  describeSkippedRuns,
  describeWaitingRuns,
  formatRelativeTime,
  joinSentences,
} from './sentences.ts';
import { isPaused, isResumePending, isSuspensionPending } from './suspension-state.ts';
import { buildTimeline, listWaitingRuns, type TimelineEntry } from './timeline.ts';

/** @param pods Report on the Pods of {@link CronJobExplanation.run}. */
export function explainCronJob(cronJob: StoredCronJob, now: Date, pods?: PodReport): CronJobExplanation {
  const answer = explainValidFields(cronJob, { now, pods });
  const { invalidValues, metadata } = cronJob;
  if (invalidValues === undefined) return answer;
  const sentence = `The stored object is malformed, so these fields are ignored: ${invalidValues.join('; ')}. ${answer.sentence}`;
  // The manager rewrites its status.
  if (invalidValues.every((each) => each.startsWith('status'))) return { ...answer, sentence };
  const { name, namespace } = metadata;
  return {
    ...answer,
    ...createKubectlRemedy('correct the object', 'edit', `${PLURAL}.${GROUP}`, name, '-n', namespace),
    sentence,
  };
}

/** Reasons of the condition Available that are more important than a suspension. */
const UNREADABLE: readonly (string | undefined)[] = ['UnparseableSchedule', 'UnknownTimeZone'];

function explainValidFields(cronJob: CronJob, input: ExplainInput): CronJobExplanation {
  const { now } = input;
  const { conditions } = cronJob.status ?? {};
  const state = computeStateOfValidFields(cronJob, now);
  const isReadable = !UNREADABLE.includes(getCondition(conditions, 'Available')?.reason);
  // A suspension alone prevents every run.
  if (isSuspendedAt(cronJob.spec, now) && isReadable && state !== 'Unobserved')
    return explainSuspension(cronJob, input);
  const degraded = toSentence(getCondition(conditions, 'Degraded')?.message);
  switch (state) {
    case 'Unobserved':
      return { sentence: 'No manager has reconciled it yet.', change: CHECK_MANAGER };
    case 'Invalid':
      return { sentence: `It never runs: ${degraded}`, change: 'correct the schedule or the time zone' };
    case 'Blocked':
      return {
        sentence: `A run cannot start: ${degraded}`,
        change: 'fix the cause; the run then starts by itself, unless its deadline has passed',
      };
    case 'Late':
      return explainLateRun(cronJob, input);
    case 'Overdue':
      // A pause is why no run can succeed, and nothing else ends it.
      return isPaused(cronJob)
        ? explainPause(cronJob, input, describeOverdue(cronJob, now))
        : explainOverdue(cronJob, input);
    case 'Paused':
      return explainPause(cronJob, input, '');
    case 'Degraded':
      return { sentence: degraded, change: 'check its events with kubectl describe' };
    case 'Malformed':
    case 'Failed':
    case 'Running':
    case 'Waiting':
    case 'Suspended':
      return explainRuns(cronJob, input, '');
    case 'OK':
      return explainRuns(cronJob, input, isResumePending(cronJob, now) ? '' : 'Nothing is wrong.');
  }
}

/** The messages of conditions are not sentences. */
function toSentence(message = 'the status does not say why'): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

function explainSuspension(cronJob: CronJob, input: ExplainInput): CronJobExplanation {
  const { now } = input;
  const { suspend, suspendUntil } = cronJob.spec;
  const until = suspend ? undefined : parseTime(suspendUntil);
  const { sentence, run } = explainPast(cronJob, input);
  const degraded = getCondition(cronJob.status?.conditions, 'Degraded');
  const isOff = neverFires(cronJob, now);
  const isReverting = cronJob.metadata.annotations?.[REVERTING_IMPORT_ANNOTATION] !== undefined;
  return {
    sentence: joinSentences(
      until === undefined
        ? 'No run starts: spec.suspend is true.'
        : `No run starts before ${formatRelativeTime(cronJob, until, now)}, because of spec.suspendUntil.`,
      isOff ? 'Its schedule also matches no time within five years.' : '',
      until && describeSkippedRuns(cronJob, now, until),
      isSuspensionPending(cronJob, now) ? 'No manager has reconciled the suspension yet.' : '',
      degraded?.reason === 'FailedCreate' ? `A run could not start: ${toSentence(degraded.message)}` : '',
      sentence === NO_RUN_YET ? '' : sentence,
      describeWaitingRuns(cronJob),
    ),
    ...(run && { run }),
    ...(isOff && !isReverting && { change: 'correct the schedule, then resume the CronJob' }),
    ...(isReverting ? createRevertRemedy(cronJob) : createResumeRemedy(cronJob)),
  };
}

function createResumeRemedy(cronJob: CronJob): Remedy {
  return { command: { kind: 'Resume', line: formatTcjCommand('resume', cronJob) } };
}

function createRevertRemedy(cronJob: CronJob): Remedy {
  const line = formatTcjCommand('import', cronJob, '--revert');
  return { change: 'finish the revert to batch/v1', command: { kind: 'Other', line } };
}

function explainLateRun(cronJob: CronJob, input: ExplainInput): CronJobExplanation {
  const { now } = input;
  const slot = findLateSlot(cronJob, now);
  const { sentence, run } = explainPast(cronJob, input);
  const late = `The run of ${slot && formatRelativeTime(cronJob, slot, now)} has not started, and no manager has reported why.`;
  return { sentence: `${late} ${sentence}`, ...(run && { run }), change: CHECK_MANAGER };
}

/** Shows the times of the condition in the format of all other times. */
function describeOverdue(cronJob: CronJob, now: Date): string {
  const { spec, status } = cronJob;
  const success = parseTime(status?.lastSuccessfulTime);
  const since =
    success === undefined
      ? 'no run has succeeded'
      : `the last success was ${formatRelativeTime(cronJob, success, now)}`;
  return `It is overdue: ${since}; spec.expectSuccessWithinSeconds is ${spec.expectSuccessWithinSeconds}.`;
}

/** A problem that no run can fix comes before any other remedy. */
function explainOverdue(cronJob: CronJob, input: ExplainInput): CronJobExplanation {
  const { now } = input;
  const [isTooSparse] = warnAboutExpectSuccess(cronJob.spec, { now });
  const answer = explainRuns(cronJob, input, describeOverdue(cronJob, now));
  if (isTooSparse === undefined) return answer;
  const { command: _, ...others } = answer;
  return { ...others, change: isTooSparse };
}

function explainPause(cronJob: CronJob, input: ExplainInput, besides: string): CronJobExplanation {
  const { paused, consecutiveFailures } = cronJob.status ?? {};
  const since = parseTime(paused?.since);
  const from = since === undefined ? '' : ` since ${formatRelativeTime(cronJob, since, input.now)}`;
  const runs = consecutiveFailures === 1 ? 'the last run' : `the last ${consecutiveFailures} runs`;
  const first = joinSentences(`No run starts${from}: ${runs} failed.`, besides);
  return {
    ...explainRuns(cronJob, input, first),
    change: 'fix the cause, then resume it',
    ...createResumeRemedy(cronJob),
  };
}

function explainRuns(cronJob: CronJob, input: ExplainInput, first: string): CronJobExplanation {
  const { now, pods } = input;
  const past = explainPast(cronJob, input);
  const [newest] = buildTimeline(cronJob).entries;
  const replaced = findReplacedRuns(cronJob);
  const sentence = joinSentences(
    first,
    describeResume(cronJob, newest?.at, now),
    past.sentence,
    describeWaitingRuns(cronJob),
    replaced && `The next run replaced each of ${replaced} before it finished (concurrencyPolicy Replace).`,
    describeNextRun(cronJob, now),
  );
  if (past.change === undefined) return { ...past, sentence };
  const change = [adviseOnBlockingRun(cronJob, pods), replaced && LEAVE_TIME, past.change]
    .filter((text) => text)
    .join('; ');
  return { ...past, sentence, change };
}

const LEAVE_TIME = 'if runs should finish, leave more time between them or set concurrencyPolicy to Forbid';

/** A single run may have been slow. */
const MIN_REPLACED = 2;

/**
 * The newest runs that the next run ended before they finished (concurrencyPolicy Replace). Some are meant to run until then;
 * others never finish. `undefined` when this may be chance.
 */
function findReplacedRuns({ spec, status }: CronJob): string | undefined {
  if (spec.concurrencyPolicy !== 'Replace') return undefined;
  const results = status?.recentRuns?.map((line) => parseRecentRun(line)?.result) ?? [];
  const ended = results.slice(results.findIndex((result) => result !== 'Running'));
  const other = ended.findIndex((result) => result !== 'Replaced');
  const count = other < 0 ? ended.length : other;
  if (count < MIN_REPLACED) return undefined;
  return results[0] === 'Replaced' ? `the last ${count} runs` : `the previous ${count} runs`;
}

/** The first remedy when a run waits for the active run. */
function adviseOnBlockingRun(cronJob: CronJob, pods: PodReport | undefined): string | undefined {
  const active = listWaitingRuns(cronJob).length > 0 ? findActiveRun(cronJob) : undefined;
  if (active === undefined) return undefined;
  const { jobName } = active;
  const podReport = pods?.jobName === jobName ? pods : undefined;
  if (podReport?.isHeld) return undefined;
  // The next run would wait for the same.
  if (podReport?.notStarted) return 'set startTimeoutSeconds to end such runs, so that the next run can start';
  return `if it hangs, delete Job ${jobName} so that the next run starts, and set activeDeadlineSeconds to end such runs`;
}

const NO_RUN_YET = 'It has not run yet.';

/** The last run or skip, and the active run. */
function explainPast(cronJob: CronJob, input: ExplainInput): CronJobExplanation {
  const [newest] = buildTimeline(cronJob).entries;
  const active = findActiveRun(cronJob);
  const isTold = newest?.kind === 'Run' && newest.run.jobName === active?.jobName;
  const beside = active && !isTold ? explainRun(cronJob, active, input) : undefined;
  if (newest !== undefined) {
    const last = explainEntry(cronJob, newest, input);
    return beside === undefined ? last : { ...last, ...beside, sentence: `${last.sentence} ${beside.sentence}` };
  }
  if (beside !== undefined) return beside;
  // The status lists no runs (a recentRunsLimit of 0).
  const { lastRun } = cronJob.status ?? {};
  const report = lastRun && findRunReport(cronJob, lastRun.jobName);
  return report === undefined ? { sentence: NO_RUN_YET } : explainRun(cronJob, report, input);
}

/** The report on a scheduled time, or on another run. */
export function explainEntry(
  cronJob: CronJob,
  entry: TimelineEntry,
  input: ExplainInput,
  slot = entry.at,
): CronJobExplanation {
  if (entry.kind === 'Run') return explainRun(cronJob, reportRun(cronJob, entry.run), input);
  const sentence = describeSkip(cronJob, slot, entry.skip);
  const { change } = explainSkip(entry.skip);
  // A pause that has ended needs no action.
  const isOver = entry.skip.reason === 'Paused' && !isPaused(cronJob);
  return { sentence, ...(change !== undefined && !isOver && { change }) };
}

/** The state of a run, with the report on its Pods. */
function explainRun(cronJob: CronJob, report: RunReport, { now, pods }: ExplainInput): CronJobExplanation {
  const { jobName, name, result, reason, createdTime } = report;
  const podReport = pods?.jobName === jobName ? pods : undefined;
  const { notStarted } = podReport ?? {};
  const forMs = notStarted && now.getTime() - Date.parse(notStarted.since);
  const sentence =
    forMs === undefined ? report.sentence : `${name} has not started for ${formatDuration(forMs)}: ${notStarted?.why}.`;
  const remedy = podReport?.remedy ?? findRunRemedy(cronJob, report, podReport?.areGone);
  const whole = { sentence: joinSentences(sentence, podReport?.sentence), ...remedy };
  if (result !== 'Running' && result !== 'Failed') return whole;
  const run = { jobName, result, ...(reason !== undefined && { reason }), ...(createdTime && { createdTime }) };
  return { ...whole, run };
}

/** The remedy without the report on its Pods. Empty when the logs are gone or the run succeeded. */
function findRunRemedy(cronJob: CronJob, { jobName, result, reason }: RunReport, areGone = false): Remedy {
  const command = { kind: 'Logs', line: formatTcjCommand('logs', cronJob, '--run', jobName) } as const;
  if (result === 'Running') return { change: 'see its logs', command };
  if (result !== 'Failed') return {};
  if (reason === 'StartTimeout') {
    return { change: 'fix what its Pods waited for (see the message), or increase startTimeoutSeconds' };
  }
  return areGone ? {} : { change: 'see its logs', command };
}
