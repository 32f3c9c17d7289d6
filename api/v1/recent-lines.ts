/**
 * Formats and parses the lines of `status.recentRuns` and `status.recentSkips`. docs/adr/0030-runs-as-lines.md explains
 * why the lists contain text instead of objects.
 */
import { formatTime, parseTime } from '../time.ts';
import { MAX_MISSED_SLOTS, MAX_RECENT_LINE_LENGTH } from './cronjob-defaults.ts';

/**
 * The cause of a run. For `Backfill`, a CronJobRun requested the run of an earlier slot. For `External`, another client created the
 * Job.
 */
export type RunTrigger = 'Schedule' | 'Manual' | 'Backfill' | 'External';

/**
 * For `Replaced`, the controller deleted the Job to start a newer run. For `Unknown`, the Job was deleted before the controller read
 * its result.
 */
export type RunResult = 'Running' | 'Succeeded' | 'Failed' | 'Replaced' | 'Unknown';

/** A run in `status.recentRuns`. All times have whole seconds. */
export interface RecentRun {
  readonly jobName: string;
  readonly trigger: RunTrigger;
  /** The name of the CronJobRun that requested the run. */
  readonly requestedBy?: string | undefined;
  /** Set only for a run with the trigger `Schedule`. */
  readonly scheduledTime?: Date | undefined;
  /** The creation time of the Job. */
  readonly createdTime: Date;
  readonly completionTime?: Date | undefined;
  /** The start time of the Job. Set only together with the completion time. */
  readonly startTime?: Date | undefined;
  readonly result: RunResult;
  /** The reason in CamelCase. */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** Consecutive slots in `status.recentSkips` that have the same reason. */
export interface RecentSkip {
  readonly firstTime: Date;
  readonly lastTime: Date;
  /** The number of slots, or 101 for more than 100. */
  readonly count: number;
  readonly reason: string;
  /** The reason of the exclusion in the spec. */
  readonly note?: string;
}

/** In characters. */
export const MAX_REASON_LENGTH = 128;
export const MAX_MESSAGE_LENGTH = 256;

/**
 * Formats a run. Omits durations of zero. Example: `2026-11-23T02:00:00Z Failed nightly-1763863200 Schedule late=1s took=1m3s
 * BackoffLimitExceeded: Job has reached the specified backoff limit`.
 */
export function formatRecentRun(run: RecentRun): string {
  const { scheduledTime, createdTime, startTime = createdTime, completionTime } = run;
  const durations = [
    scheduledTime && formatDurationPair('late', scheduledTime, createdTime),
    completionTime && formatDurationPair('queued', createdTime, startTime),
    completionTime && `took=${formatDuration(countSecondsBetween(startTime, completionTime))}`,
  ];
  const words = [formatTime(scheduledTime ?? createdTime), run.result, run.jobName, run.trigger];
  const requestedBy = run.requestedBy && `by=${run.requestedBy}`;
  const line = [...words, requestedBy, ...durations.filter((each) => each), formatReason(run)]
    .filter((part) => part)
    .join(' ');
  return truncate(line, MAX_RECENT_LINE_LENGTH);
}

/** Truncates a string to the limit of the CRD. `toWellFormed` replaces half of a surrogate pair at the end. */
function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).toWellFormed();
}

function formatReason({ reason, message }: RecentRun): string {
  const shortReason = truncate(reason?.replace(/[\s\p{Cc}\p{Bidi_Control}=]/gu, '') ?? '', MAX_REASON_LENGTH);
  if (!shortReason) return '';
  const shortMessage = truncate(toTerminalText(message ?? '').trim(), MAX_MESSAGE_LENGTH).trimEnd();
  return shortMessage ? `${shortReason}: ${shortMessage}` : shortReason;
}

/** Returns the message as one line without control characters and bidirectional formatting, which could manipulate a terminal. */
export function toTerminalText(message: string): string {
  return message.replace(/[\s\p{Cc}\p{Bidi_Control}]+/gu, ' ');
}

function formatDurationPair(name: string, from: Date, to: Date): string | undefined {
  const seconds = countSecondsBetween(from, to);
  return seconds === 0 ? undefined : `${name}=${formatDuration(seconds)}`;
}

function countSecondsBetween(from: Date, to: Date): number {
  return Math.floor(to.getTime() / 1000) - Math.floor(from.getTime() / 1000);
}

/** Matches the time, the result, the Job name, the trigger, the pairs such as `late=1s`, the reason and the message. */
const RUN_LINE_PATTERN =
  /^([^ ]{20}) (Running|Succeeded|Failed|Replaced|Unknown) ([^ ]+) (Schedule|Manual|Backfill|External)((?: [^ =]*=[^ ]*)*)(?: (.*?)(?:: (.*))?)?$/s;

/** Parses a line of `status.recentRuns`. Ignores unknown pairs `name=value`. Returns `undefined` for an invalid line. */
export function parseRecentRun(line: string): RecentRun | undefined {
  const [, time, result, jobName = '', trigger, durations = '', reason, message] = RUN_LINE_PATTERN.exec(line) ?? [];
  const runTime = parseTime(time);
  if (runTime === undefined) return undefined;
  const createdTime = addSeconds(runTime, parseDurationPair(durations, ' late=') ?? 0);
  const startTime = addSeconds(createdTime, parseDurationPair(durations, ' queued=') ?? 0);
  const tookSeconds = parseDurationPair(durations, ' took=');
  return {
    jobName,
    trigger: trigger as RunTrigger, // RUN_LINE_PATTERN matches only these values
    requestedBy: / by=([^ ]+)/.exec(durations)?.[1],
    scheduledTime: trigger === 'Schedule' ? runTime : undefined,
    createdTime,
    startTime: tookSeconds === undefined ? undefined : startTime,
    completionTime: tookSeconds === undefined ? undefined : addSeconds(startTime, tookSeconds),
    result: result as RunResult, // RUN_LINE_PATTERN matches only these values
    reason,
    message,
  };
}

/** Returns the value of the first pair with this prefix, in seconds. */
function parseDurationPair(durations: string, prefix: string): number | undefined {
  const start = durations.indexOf(prefix);
  if (start < 0) return undefined;
  const [, sign, hours = '0', minutes = '0', seconds] =
    DURATION_PATTERN.exec(durations.slice(start + prefix.length)) ?? [];
  if (seconds === undefined) return undefined;
  const absoluteSeconds = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -absoluteSeconds : absoluteSeconds;
}

const DURATION_PATTERN = /^(-?)(?:(\d{1,9})h)?(?:(\d\d?)m)?(\d\d?)s(?= |$)/;

function addSeconds(time: Date, seconds: number): Date {
  return seconds === 0 ? time : new Date(time.getTime() + seconds * 1000);
}

/** Formats whole seconds in the format of Go, such as `1h3m5s`. */
export function formatDuration(seconds: number): string {
  const absoluteSeconds = Math.abs(seconds);
  const [hours, minutes] = [Math.floor(absoluteSeconds / 3600), Math.floor(absoluteSeconds / 60) % 60];
  const unsignedDuration = [
    hours > 0 ? `${hours}h` : '',
    hours > 0 || minutes > 0 ? `${minutes}m` : '',
    `${absoluteSeconds % 60}s`,
  ].join('');
  return seconds < 0 ? `-${unsignedDuration}` : unsignedDuration;
}

/** Example: `2026-12-24T02:00:00Z Excluded last=2026-12-25T02:00:00Z count=2 note=holidays`. */
export function formatRecentSkip({ firstTime, lastTime, count, reason, note }: RecentSkip): string {
  const countText = count > MAX_MISSED_SLOTS ? `${MAX_MISSED_SLOTS}+` : count;
  return [
    `${formatTime(firstTime)} ${reason}`,
    ...(count === 1 ? [] : [`last=${formatTime(lastTime)} count=${countText}`]),
    ...(note === undefined ? [] : [`note=${toSkipNote(note)}`]),
  ].join(' ');
}

const MAX_NOTE_LENGTH = 128;

/** Converts the reason of an exclusion to a note, which is one line of at most 128 characters. */
export function toSkipNote(reason: string): string {
  return truncate(toTerminalText(reason).trim(), MAX_NOTE_LENGTH);
}

/** Matches the note, which extends to the end of the line. */
const NOTE_PATTERN = / note=(.*)$/s;

/** Parses a line of `status.recentSkips`. Returns `undefined` for an invalid line. */
export function parseRecentSkip(line: string): RecentSkip | undefined {
  const note = NOTE_PATTERN.exec(line)?.[1];
  const [first, reason, ...rest] = line.replace(NOTE_PATTERN, '').split(' ');
  const noteField = note ? { note: truncate(note, MAX_NOTE_LENGTH) } : {};
  const firstTime = parseTime(first);
  // A longer reason comes from another client. A line with a longer reason could exceed the limit of the API server.
  if (firstTime === undefined || !reason || reason.length > MAX_REASON_LENGTH) return undefined;
  const findValue = (name: string) => rest.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const [last, count] = [findValue('last'), findValue('count')];
  if (last === undefined || count === undefined) {
    return { firstTime, lastTime: firstTime, count: 1, reason, ...noteField };
  }
  const lastTime = parseTime(last);
  const parsedCount = count.endsWith('+') ? MAX_MISSED_SLOTS + 1 : Number(count);
  return lastTime === undefined || !Number.isInteger(parsedCount)
    ? undefined
    : { firstTime, lastTime, count: parsedCount, reason, ...noteField };
}

/** Joins adjacent skips with the same reason. */
export function mergeAdjacentSkips<Skip extends RecentSkip>(skips: readonly Skip[]): readonly Skip[] {
  const result: Skip[] = [];
  for (const skip of skips) {
    const last = result.at(-1);
    if (last && hasSameReason(last, skip)) result.splice(-1, 1, mergeSkips(last, skip));
    else result.push(skip);
  }
  return result;
}

export function hasSameReason(leftSkip: RecentSkip, rightSkip: RecentSkip): boolean {
  return leftSkip.reason === rightSkip.reason && leftSkip.note === rightSkip.note;
}

export function mergeSkips<Skip extends RecentSkip>(olderSkip: Skip, newerSkip: RecentSkip): Skip {
  return {
    ...olderSkip,
    lastTime: newerSkip.lastTime,
    count: Math.min(olderSkip.count + newerSkip.count, MAX_MISSED_SLOTS + 1),
  };
}
