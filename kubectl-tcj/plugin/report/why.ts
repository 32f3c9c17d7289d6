/** Explains the state of a CronJob. All data comes from the CronJob object and the report on its Pods. */
import { getCondition } from 'controller-runtime/kubernetes';
import { parseTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { GROUP, PLURAL, REVERTING_IMPORT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { warnAboutExpectSuccessWithin } from '../../../api/v1/monitoring-warnings.ts';
import type { StoredCronJob } from '../../../api/v1/stored-cronjob.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { formatDuration } from '../terminal/format-time.ts';
import { computeStateIgnoringInvalidValues, findLateSlot } from './cron-job-state.ts';
import { explainSkip } from './explain-skip.ts';
import type { CronJobExplanation, ExplainInput, PodReport } from './explanation.ts';
import { findNoStartCause } from './no-start-cause.ts';
import { createKubectlRemedy, formatTcjCommand, type Remedy } from './remedy.ts';
import { createRunReport, findActiveRun, findRunReport, type RunReport } from './run-report.ts';
import {
  CHECK_MANAGER_ADVICE,
  describeNextRun,
  describeReplacedRuns,
  describeResume,
  describeSkip,
  describeSkippedRuns,
  describeWaitingRuns,
  formatRelativeTime,
  joinSentences,
} from './sentences.ts';
import { isPaused, isResumePending, isSuspensionPending } from './suspension-state.ts';
import { buildTimeline, listWaitingRuns, type TimelineEntry } from './timeline.ts';

/** @param podReport The report on the Pods of the run in {@link CronJobExplanation.run}. */
export function explainCronJob(cronJob: StoredCronJob, now: Date, podReport?: PodReport): CronJobExplanation {
  const explanation = explainIgnoringInvalidValues(cronJob, { now, podReport: podReport });
  const { invalidValues, metadata } = cronJob;
  if (invalidValues === undefined) return explanation;
  const sentence = `The stored object is malformed, so these fields are ignored: ${invalidValues.join('; ')}. ${explanation.sentence}`;
  // A user need not correct a malformed status, because the manager rewrites the status.
  if (invalidValues.every((each) => each.startsWith('status'))) return { ...explanation, sentence };
  const { name, namespace } = metadata;
  return {
    ...explanation,
    ...createKubectlRemedy('correct the object', 'edit', `${PLURAL}.${GROUP}`, name, '-n', namespace),
    sentence,
  };
}

/**
 * The reasons of the condition Available for an invalid schedule. The explanation mentions an invalid schedule before a suspension.
 */
const UNREADABLE_SCHEDULE_REASONS: readonly (string | undefined)[] = ['UnparseableSchedule', 'UnknownTimeZone'];

function explainIgnoringInvalidValues(cronJob: CronJob, input: ExplainInput): CronJobExplanation {
  const { now } = input;
  const { conditions } = cronJob.status ?? {};
  const state = computeStateIgnoringInvalidValues(cronJob, now);
  const isScheduleReadable = !UNREADABLE_SCHEDULE_REASONS.includes(getCondition(conditions, 'Available')?.reason);
  // A suspension alone prevents every run.
  if (isSuspendedAt(cronJob.spec, now) && isScheduleReadable && state !== 'Unobserved')
    return explainSuspension(cronJob, input);
  const degradedMessage = toSentence(getCondition(conditions, 'Degraded')?.message);
  switch (state) {
    case 'Unobserved':
      return { sentence: 'No manager has reconciled the CronJob yet.', change: CHECK_MANAGER_ADVICE };
    case 'Invalid':
      return {
        sentence: `It never runs: ${degradedMessage}`,
        change: findNoStartCause(cronJob, now)?.change ?? 'correct the schedule or the time zone',
      };
    case 'Blocked':
      return {
        sentence: `A run cannot start: ${degradedMessage}`,
        change: 'fix the cause; the run then starts by itself, unless its deadline has passed',
      };
    case 'Late':
      return explainLateRun(cronJob, input);
    case 'Overdue':
      // Until a user ends the pause, no run can succeed.
      return isPaused(cronJob)
        ? explainPause(cronJob, input, describeOverdue(cronJob, now))
        : explainOverdue(cronJob, input);
    case 'Paused':
      return explainPause(cronJob, input, '');
    case 'Degraded':
      return { sentence: degradedMessage, change: 'check its events with kubectl describe' };
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

/** Adds the full stop that messages of conditions lack. */
function toSentence(message = 'the status does not say why'): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

function explainSuspension(cronJob: CronJob, input: ExplainInput): CronJobExplanation {
  const { now } = input;
  const { suspend, suspendUntil } = cronJob.spec;
  const suspensionEnd = suspend ? undefined : parseTime(suspendUntil);
  const { sentence, run } = explainLastRuns(cronJob, input);
  const degradedCondition = getCondition(cronJob.status?.conditions, 'Degraded');
  const noStartCause = findNoStartCause(cronJob, now);
  const isReverting = cronJob.metadata.annotations?.[REVERTING_IMPORT_ANNOTATION] !== undefined;
  return {
    sentence: joinSentences(
      suspensionEnd === undefined
        ? 'No run starts: spec.suspend is true.'
        : `No run starts before ${formatRelativeTime(cronJob, suspensionEnd, now)}, because of spec.suspendUntil.`,
      noStartCause?.sentence,
      suspensionEnd && describeSkippedRuns(cronJob, now, suspensionEnd),
      isSuspensionPending(cronJob, now) ? 'No manager has reconciled the suspension yet.' : '',
      degradedCondition?.reason === 'FailedCreate'
        ? `A run could not start: ${toSentence(degradedCondition.message)}`
        : '',
      sentence === NO_RUN_YET_SENTENCE ? '' : sentence,
      describeWaitingRuns(cronJob, now),
    ),
    ...(run && { run }),
    ...(noStartCause && !isReverting && { change: `${noStartCause.change}, then resume the CronJob` }),
    ...(isReverting ? createRevertRemedy(cronJob) : createResumeRemedy(cronJob)),
  };
}

function createResumeRemedy(cronJob: CronJob): Remedy {
  return { command: { kind: 'Resume', commandLine: formatTcjCommand('resume', cronJob) } };
}

function createRevertRemedy(cronJob: CronJob): Remedy {
  const commandLine = formatTcjCommand('import', cronJob, '--revert');
  return { change: 'finish the revert to batch/v1', command: { kind: 'Other', commandLine } };
}

function explainLateRun(cronJob: CronJob, input: ExplainInput): CronJobExplanation {
  const { now } = input;
  const slot = findLateSlot(cronJob, now);
  const { sentence, run } = explainLastRuns(cronJob, input);
  const lateRunSentence = `The run of ${slot && formatRelativeTime(cronJob, slot, now)} has not started, and no manager has reported why.`;
  return { sentence: `${lateRunSentence} ${sentence}`, ...(run && { run }), change: CHECK_MANAGER_ADVICE };
}

/** Describes the condition Overdue like its message, but formats the times in the display zone. */
function describeOverdue(cronJob: CronJob, now: Date): string {
  const { spec, status } = cronJob;
  const lastSuccess = parseTime(status?.lastSuccessfulTime);
  const successText =
    lastSuccess === undefined
      ? 'no run has succeeded'
      : `the last success was ${formatRelativeTime(cronJob, lastSuccess, now)}`;
  return `The CronJob is overdue: ${successText}; spec.expectSuccessWithinSeconds is ${spec.expectSuccessWithinSeconds}.`;
}

/** If `expectSuccessWithinSeconds` is too short for the schedule, the advice is only to change that field. */
function explainOverdue(cronJob: CronJob, input: ExplainInput): CronJobExplanation {
  const { now } = input;
  const [scheduleWarning] = warnAboutExpectSuccessWithin(cronJob.spec, { now });
  const explanation = explainRuns(cronJob, input, describeOverdue(cronJob, now));
  if (scheduleWarning === undefined) return explanation;
  const { command: _, ...others } = explanation;
  return { ...others, change: scheduleWarning };
}

function explainPause(cronJob: CronJob, input: ExplainInput, overdueSentence: string): CronJobExplanation {
  const { paused, consecutiveFailures } = cronJob.status ?? {};
  const pauseTime = parseTime(paused?.since);
  const pauseState =
    pauseTime === undefined
      ? 'is paused'
      : `has been paused since ${formatRelativeTime(cronJob, pauseTime, input.now)}`;
  const failedRunsText = consecutiveFailures === 1 ? 'the last run' : `the last ${consecutiveFailures} runs`;
  const pauseSentence = joinSentences(`The CronJob ${pauseState}: ${failedRunsText} failed.`, overdueSentence);
  return {
    ...explainRuns(cronJob, input, pauseSentence),
    change: 'fix the cause, then resume it',
    ...createResumeRemedy(cronJob),
  };
}

function explainRuns(cronJob: CronJob, input: ExplainInput, firstSentence: string): CronJobExplanation {
  const { now, podReport } = input;
  const lastRunsExplanation = explainLastRuns(cronJob, input);
  const [newestEntry] = buildTimeline(cronJob).entries;
  const replacedRunsPhrase = describeReplacedRuns(cronJob);
  const sentence = joinSentences(
    firstSentence,
    describeResume(cronJob, newestEntry?.time, now),
    lastRunsExplanation.sentence,
    describeWaitingRuns(cronJob, now),
    replacedRunsPhrase &&
      `The next run replaced each of ${replacedRunsPhrase} before it finished (concurrencyPolicy Replace).`,
    describeNextRun(cronJob, now),
  );
  if (lastRunsExplanation.change === undefined) return { ...lastRunsExplanation, sentence };
  const advice = [
    adviseOnBlockingRun(cronJob, podReport),
    replacedRunsPhrase && AVOID_REPLACEMENT_ADVICE,
    lastRunsExplanation.change,
  ]
    .filter((text) => text)
    .join('; ');
  return { ...lastRunsExplanation, sentence, change: advice };
}

const AVOID_REPLACEMENT_ADVICE =
  'if runs should finish, leave more time between them or set concurrencyPolicy to Forbid';

/** Returns advice on the active run if another run waits for the active run. */
function adviseOnBlockingRun(cronJob: CronJob, report: PodReport | undefined): string | undefined {
  const activeRun = listWaitingRuns(cronJob).length > 0 ? findActiveRun(cronJob) : undefined;
  if (activeRun === undefined) return undefined;
  const { jobName } = activeRun;
  const podReport = report?.jobName === jobName ? report : undefined;
  if (podReport?.isJobBlocked) return undefined;
  // The next run would wait for the same reason.
  if (podReport?.startDelay) return 'set startTimeoutSeconds to end such runs, so that the next run can start';
  return `if it hangs, delete Job ${jobName} so that the next run starts, and set activeDeadlineSeconds to end such runs`;
}

const NO_RUN_YET_SENTENCE = 'The CronJob has not run yet.';

function explainLastRuns(cronJob: CronJob, input: ExplainInput): CronJobExplanation {
  const [newestEntry] = buildTimeline(cronJob).entries;
  const activeRun = findActiveRun(cronJob);
  const isNewestActive = newestEntry?.kind === 'Run' && newestEntry.run.jobName === activeRun?.jobName;
  const activeExplanation = activeRun && !isNewestActive ? explainRun(cronJob, activeRun, input) : undefined;
  if (newestEntry !== undefined) {
    const newestExplanation = explainEntry(cronJob, newestEntry, input);
    return activeExplanation === undefined
      ? newestExplanation
      : {
          ...newestExplanation,
          ...activeExplanation,
          sentence: `${newestExplanation.sentence} ${activeExplanation.sentence}`,
        };
  }
  if (activeExplanation !== undefined) return activeExplanation;
  // `status.recentRuns` is empty if recentRunsLimit is 0.
  const { lastRun } = cronJob.status ?? {};
  const report = lastRun && findRunReport(cronJob, lastRun.jobName);
  return report === undefined ? { sentence: NO_RUN_YET_SENTENCE } : explainRun(cronJob, report, input);
}

export function explainEntry(
  cronJob: CronJob,
  entry: TimelineEntry,
  input: ExplainInput,
  slot = entry.time,
): CronJobExplanation {
  if (entry.kind === 'Run') return explainRun(cronJob, createRunReport(cronJob, entry.run), input);
  const sentence = describeSkip(cronJob, slot, entry.skip);
  const { advice } = explainSkip(entry.skip);
  // A pause that has ended needs no action.
  const hasPauseEnded = entry.skip.reason === 'Paused' && !isPaused(cronJob);
  return { sentence, ...(advice !== undefined && !hasPauseEnded && { change: advice }) };
}

/** Explains the result of a run with the report on the Pods of the run. */
function explainRun(
  cronJob: CronJob,
  report: RunReport,
  { now, podReport: newestPodReport }: ExplainInput,
): CronJobExplanation {
  const { jobName, subject, result, reason, createdTime } = report;
  const podReport = newestPodReport?.jobName === jobName ? newestPodReport : undefined;
  const { startDelay } = podReport ?? {};
  const delayMs = startDelay && now.getTime() - Date.parse(startDelay.since);
  const sentence =
    delayMs === undefined
      ? report.sentence
      : `${subject} has not started for ${formatDuration(delayMs)}: ${startDelay?.cause}.`;
  const remedy = podReport?.remedy ?? findRunRemedy(cronJob, report, podReport?.arePodsDeleted);
  const explanation = { sentence: joinSentences(sentence, podReport?.sentence), ...remedy };
  if (result !== 'Running' && result !== 'Failed') return explanation;
  const run = { jobName, result, ...(reason !== undefined && { reason }), ...(createdTime && { createdTime }) };
  return { ...explanation, run };
}

/**
 * Returns the remedy for a run without a report on the Pods. The remedy is empty if the run succeeded or its logs no longer exist.
 */
function findRunRemedy(cronJob: CronJob, { jobName, result, reason }: RunReport, arePodsDeleted = false): Remedy {
  const command = { kind: 'Logs', commandLine: formatTcjCommand('logs', cronJob, '--run', jobName) } as const;
  if (result === 'Running') return { change: 'see its logs', command };
  if (result !== 'Failed') return {};
  if (reason === 'StartTimeout') {
    return { change: 'fix what its Pods waited for (see the message), or increase startTimeoutSeconds' };
  }
  return arePodsDeleted ? {} : { change: 'see its logs', command };
}
