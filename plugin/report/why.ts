/** Why a CronJob stands as it does, from its object alone. */
import { getCondition } from 'controller-runtime/kubernetes';
import { parseTime } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { REVERTING_IMPORT_ANNOTATION } from '../../api/v1/groupversion.ts';
import type { Answer } from './answer.ts';
import { commandFor, nextSentence, runSentence, skipSentence, timeFrom } from './sentences.ts';
import { lateSlot, standingOf } from './standing.ts';
import { type Entry, timelineOf } from './timeline.ts';
import { whySkipped } from './why-skipped.ts';

export function why(cronJob: CronJob, now: Date): Answer {
  const { status = {} } = cronJob;
  const messageOf = (type: string) => sentenceOf(getCondition(status.conditions, type)?.message);
  // Whatever else is wrong: this is why nothing starts.
  if (getCondition(status.conditions, 'Available')?.reason === 'Suspended') return suspendedAnswer(cronJob, now);
  switch (standingOf(cronJob, now)) {
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
      return lateAnswer(cronJob, now);
    case 'Overdue':
      return { ...lastOf(cronJob, now, `It is overdue: ${messageOf('Overdue')}`) };
    case 'Paused':
      return {
        sentence: `${pausedSentence(cronJob, now)} ${lastOf(cronJob, now).sentence}`,
        change: `fix the cause, then: ${commandFor('resume', cronJob)}`,
      };
    case 'Degraded':
      return { sentence: messageOf('Degraded'), change: 'see the events in kubectl describe' };
    case 'Failed':
    case 'Running':
    case 'Suspended':
      return lastOf(cronJob, now);
    case 'OK':
      return lastOf(cronJob, now, 'Nothing is wrong.');
  }
}

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

function suspendedAnswer(cronJob: CronJob, now: Date): Answer {
  const { suspend, suspendUntil } = cronJob.spec;
  const until = suspend ? undefined : parseTime(suspendUntil);
  const [newest] = timelineOf(cronJob).entries;
  const texts = [
    until === undefined
      ? 'No run starts: spec.suspend is true.'
      : `No run starts before ${timeFrom(cronJob, until, now)}: that is spec.suspendUntil.`,
    newest ? entrySentence(cronJob, newest) : '',
  ];
  const isReverting = cronJob.metadata.annotations?.[REVERTING_IMPORT_ANNOTATION] !== undefined;
  return {
    sentence: texts.filter((text) => text !== '').join(' '),
    change: isReverting
      ? `finish its way back to batch/v1: ${commandFor('import', cronJob)} --revert`
      : commandFor('resume', cronJob),
  };
}

function lateAnswer(cronJob: CronJob, now: Date): Answer {
  const slot = lateSlot(cronJob, now);
  const [newest] = timelineOf(cronJob).entries;
  const texts = [
    `The run of ${slot && timeFrom(cronJob, slot, now)} has not started, and no manager says why.`,
    newest ? entrySentence(cronJob, newest) : 'It has not run yet.',
  ];
  return {
    sentence: texts.join(' '),
    change: 'see whether the manager runs, and whether it watches this namespace',
  };
}

/** What happened last, and what is next. */
function lastOf(cronJob: CronJob, now: Date, first = ''): Answer {
  const [newest] = timelineOf(cronJob).entries;
  const texts = [first, newest ? entrySentence(cronJob, newest) : 'It has not run yet.', nextSentence(cronJob, now)];
  const change = newest && changeFor(cronJob, newest);
  return { sentence: texts.filter((text) => text !== '').join(' '), ...(change && { change }) };
}

export function entrySentence(cronJob: CronJob, entry: Entry, slot = entry.at): string {
  return entry.kind === 'Run' ? runSentence(cronJob, entry.run) : skipSentence(cronJob, slot, entry.skip);
}

/** What to do after a run failed, or a time was skipped. */
export function changeFor(cronJob: CronJob, entry: Entry): string | undefined {
  if (entry.kind === 'Skip') return whySkipped(entry.skip).change;
  const { result, jobName, reason } = entry.run;
  if (result === 'Running') return `see what it prints, or waits for: ${commandFor('logs', cronJob)} --run ${jobName}`;
  if (result !== 'Failed') return undefined;
  if (reason === 'StartTimeout') return 'see what its Pods waited for in the message, or raise startTimeoutSeconds';
  return `see what it printed: ${commandFor('logs', cronJob)} --run ${jobName}`;
}
