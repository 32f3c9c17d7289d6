/**
 * Formats and parses the lines of `status.recentRuns` and `status.recentSkips`. They are text so that `kubectl describe` shows one
 * line for each run, and because every write of a status takes time for each value in it: docs/adr/0030-runs-as-lines.md.
 */
import { formatTime, parseTime } from '../time.ts';
import { MAX_MISSED_SLOTS, MAX_RECENT_LINE_LENGTH } from './cronjob-defaults.ts';

/** Why a run was started. `External`: another client created its Job. */
export type RunTrigger = 'Schedule' | 'Manual' | 'External';

/** `Replaced`: its Job was deleted for a newer run. `Unknown`: its Job was gone before the controller read its result. */
export type RunResult = 'Running' | 'Succeeded' | 'Failed' | 'Replaced' | 'Unknown';

/** A run, as a line of `status.recentRuns` records it. All times have whole seconds. */
export interface RecentRun {
  readonly jobName: string;
  readonly trigger: RunTrigger;
  /** Set only for a run of the schedule. */
  readonly scheduledTime?: Date | undefined;
  /** When its Job was created. */
  readonly createdTime: Date;
  /** When its Job finished. */
  readonly completionTime?: Date | undefined;
  /** When its Job started; recorded with the completion time. */
  readonly startTime?: Date | undefined;
  readonly result: RunResult;
  /** One CamelCase word. */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** Consecutive scheduled times that were not run for the same reason, as a line of `status.recentSkips` records them. */
export interface RecentSkip {
  readonly firstTime: Date;
  readonly lastTime: Date;
  /** Exact up to 100; 101 means more. */
  readonly count: number;
  readonly reason: string;
}

/** Maximum length of the reason of a run or of a skip, in characters. */
export const MAX_REASON_LENGTH = 128;
const MAX_MESSAGE_LENGTH = 256;

/**
 * For example `2026-11-23T02:00:00Z Failed nightly-1763863200 Schedule late=1s took=1m3s BackoffLimitExceeded: Job has reached the
 * specified backoff limit`. Durations that are zero are left out.
 */
export function formatRecentRun(run: RecentRun): string {
  const { scheduledTime, createdTime, startTime = createdTime, completionTime } = run;
  const spans = [
    scheduledTime && span('late', scheduledTime, createdTime),
    completionTime && span('queued', createdTime, startTime),
    completionTime && `took=${formatDuration(secondsBetween(startTime, completionTime))}`,
  ];
  const head = [formatTime(scheduledTime ?? createdTime), run.result, run.jobName, run.trigger];
  const line = [...head, ...spans.filter((each) => each), why(run)].filter((part) => part).join(' ');
  return cut(line, MAX_RECENT_LINE_LENGTH);
}

/**
 * Cuts between characters: the API server refuses a text longer than the CRD allows, and stores half a character as different text.
 */
function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).toWellFormed();
}

function why({ reason, message }: RecentRun): string {
  const word = cut(reason?.replace(/[\s\p{Cc}\p{Bidi_Control}=]/gu, '') ?? '', MAX_REASON_LENGTH);
  if (!word) return '';
  const text = cut(asText(message ?? '').trim(), MAX_MESSAGE_LENGTH).trimEnd();
  return text ? `${word}: ${text}` : word;
}

/**
 * The message as one line that a terminal shows unchanged: without characters that move its cursor or change the direction of the
 * text that follows.
 */
export function asText(message: string): string {
  return message.replace(/[\s\p{Cc}\p{Bidi_Control}]+/gu, ' ');
}

function span(name: string, from: Date, to: Date): string | undefined {
  const seconds = secondsBetween(from, to);
  return seconds === 0 ? undefined : `${name}=${formatDuration(seconds)}`;
}

function secondsBetween(from: Date, to: Date): number {
  return Math.floor(to.getTime() / 1000) - Math.floor(from.getTime() / 1000);
}

/** Time, result, name of the Job and trigger; words like `name=value`; reason and message. */
const RUN_LINE =
  /^([^ ]{20}) (Running|Succeeded|Failed|Replaced|Unknown) ([^ ]+) (Schedule|Manual|External)((?: [^ =]*=[^ ]*)*)(?: (.*?)(?:: (.*))?)?$/s;

/** Parses a line of `status.recentRuns`; `undefined` when the line is invalid. Ignores unknown words like `name=value`. */
export function parseRecentRun(line: string): RecentRun | undefined {
  const [, time, result, jobName = '', trigger, spans = '', reason, message] = RUN_LINE.exec(line) ?? [];
  const first = parseTime(time);
  if (first === undefined) return undefined;
  const createdTime = after(first, parseSpan(spans, ' late=') ?? 0);
  const startTime = after(createdTime, parseSpan(spans, ' queued=') ?? 0);
  const took = parseSpan(spans, ' took=');
  return {
    jobName,
    trigger: trigger as RunTrigger, // the pattern has all triggers
    scheduledTime: trigger === 'Schedule' ? first : undefined,
    createdTime,
    startTime: took === undefined ? undefined : startTime,
    completionTime: took === undefined ? undefined : after(startTime, took),
    result: result as RunResult, // as for the trigger
    reason,
    message,
  };
}

/** Seconds of the first word with this prefix. */
function parseSpan(spans: string, prefix: string): number | undefined {
  const start = spans.indexOf(prefix);
  if (start < 0) return undefined;
  const [, sign, hours = '0', minutes = '0', seconds] = DURATION.exec(spans.slice(start + prefix.length)) ?? [];
  if (seconds === undefined) return undefined;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -size : size;
}

/** The format of {@link formatDuration}. */
const DURATION = /^(-?)(?:(\d{1,9})h)?(?:(\d\d?)m)?(\d\d?)s(?= |$)/;

function after(time: Date, seconds: number): Date {
  return seconds === 0 ? time : new Date(time.getTime() + seconds * 1000);
}

/** Formats whole seconds as Go prints them: `1h3m5s`. */
export function formatDuration(seconds: number): string {
  const size = Math.abs(seconds);
  const [hours, minutes] = [Math.floor(size / 3600), Math.floor(size / 60) % 60];
  const shown = [hours > 0 ? `${hours}h` : '', hours > 0 || minutes > 0 ? `${minutes}m` : '', `${size % 60}s`].join('');
  return seconds < 0 ? `-${shown}` : shown;
}

/** For example `2026-11-18T02:00:00Z Suspended`, or `2026-11-18T02:00:00Z Suspended last=2026-11-19T02:00:00Z count=2`. */
export function formatRecentSkip({ firstTime, lastTime, count, reason }: RecentSkip): string {
  const head = `${formatTime(firstTime)} ${reason}`;
  if (count === 1) return head;
  return `${head} last=${formatTime(lastTime)} count=${count > MAX_MISSED_SLOTS ? `${MAX_MISSED_SLOTS}+` : count}`;
}

/** Parses a line of `status.recentSkips`; `undefined` when the line is invalid. */
export function parseRecentSkip(line: string): RecentSkip | undefined {
  const [first, reason, ...rest] = line.split(' ');
  const firstTime = parseTime(first);
  // A longer reason does not come from this controller, and a line that grows would exceed the limit of the API server.
  if (firstTime === undefined || !reason || reason.length > MAX_REASON_LENGTH) return undefined;
  const parseText = (name: string) => rest.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const [last, count] = [parseText('last'), parseText('count')];
  if (last === undefined || count === undefined) return { firstTime, lastTime: firstTime, count: 1, reason };
  const lastTime = parseTime(last);
  const number = count.endsWith('+') ? MAX_MISSED_SLOTS + 1 : Number(count);
  return lastTime === undefined || !Number.isInteger(number)
    ? undefined
    : { firstTime, lastTime, count: number, reason };
}
