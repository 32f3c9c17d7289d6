/**
 * The lines of `status.recentRuns` and `status.recentSkips`: how they are written and read. They are text so that `kubectl describe` shows
 * one line for each run, and because every write of a status pays for each value in it: docs/adr/0030-runs-as-lines.md.
 */
import { formatTime, parseTime } from '../time.ts';
import { MAX_MISSED_SLOTS, MAX_RECENT_LINE_LENGTH } from './cronjob-defaults.ts';

/** Why a run was started. `External`: somebody else created its Job. */
export type RunTrigger = 'Schedule' | 'Manual' | 'External';

/** `Replaced`: its Job was deleted for a newer run. `Unknown`: its Job vanished before its result was seen. */
export type RunResult = 'Running' | 'Succeeded' | 'Failed' | 'Replaced' | 'Unknown';

/** A run, as a line of `status.recentRuns` records it. All times have whole seconds. */
export interface RecentRun {
  readonly jobName: string;
  readonly trigger: RunTrigger;
  /** Only of a run of the schedule. */
  readonly scheduledTime?: Date;
  /** When its Job was created. */
  readonly createdTime: Date;
  /** When its Job finished. */
  readonly completionTime?: Date;
  /** When its Job started; recorded with the completion time. */
  readonly startTime?: Date;
  readonly result: RunResult;
  /** One CamelCase word. */
  readonly reason?: string;
  readonly message?: string;
}

/** Scheduled times in a row that were not run, for one reason, as a line of `status.recentSkips` records them. */
export interface RecentSkip {
  readonly firstTime: Date;
  readonly lastTime: Date;
  /** Exact to 100; 101 means more. */
  readonly count: number;
  readonly reason: string;
}

/** Of the reason of a run, in characters. */
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

/** The API server refuses what is longer than the CRD allows, and stores another text than half a character. */
function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).toWellFormed();
}

function why({ reason, message }: RecentRun): string {
  const word = cut(reason?.replace(/[\s\p{Cc}\p{Bidi_Control}=]/gu, '') ?? '', MAX_REASON_LENGTH);
  if (!word) return '';
  const text = cut(asText(message ?? '').trim(), MAX_MESSAGE_LENGTH).trimEnd();
  return text ? `${word}: ${text}` : word;
}

/** Of one line that a terminal shows as it is: without what moves its cursor or turns the direction of the text that follows. */
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

/** The beginning of a line of `status.recentRuns`, which tells runs apart; reading no more of it takes a tenth of the time. */
export interface RecentRunHead {
  /** As in the line: when the run was scheduled, or its Job created. */
  readonly time: string;
  readonly result: RunResult;
  readonly jobName: string;
}

const TIME_LENGTH = '2026-11-23T02:00:00Z'.length;

/** `undefined` when the line cannot be read. */
export function headOfRecentRun(line: string): RecentRunHead | undefined {
  const result = resultIn(line);
  if (result === undefined) return undefined;
  const nameStart = nameStartAfter(result);
  return { time: line.slice(0, TIME_LENGTH), result, jobName: line.slice(nameStart, line.indexOf(' ', nameStart)) };
}

/** The result that a line of `status.recentRuns` has; `undefined` when the line cannot be read. */
export function resultIn(line: string): RunResult | undefined {
  const result = line[TIME_LENGTH] === ' ' ? RESULTS.find((each) => line.startsWith(each, TIME_LENGTH + 1)) : undefined;
  if (result === undefined) return undefined;
  const nameStart = nameStartAfter(result);
  return line[nameStart - 1] === ' ' && line.indexOf(' ', nameStart) > nameStart ? result : undefined;
}

function nameStartAfter(result: RunResult): number {
  return TIME_LENGTH + result.length + 2;
}

/** Whether a line of `status.recentRuns` has this time in front and this name of a Job. */
export function isLineOf(line: string, time: string, jobName: string): boolean {
  if (!line.startsWith(time)) return false;
  const result = resultIn(line);
  return result !== undefined && line.startsWith(`${jobName} `, nameStartAfter(result));
}

/** Whether two lines of `status.recentRuns` are of the same run; of those that cannot be read, whether they are the same. */
export function areOfOneRun(left: string, right: string): boolean {
  if (left === right) return true;
  // Nearly always they differ here, and nothing need be allocated to see it.
  for (let index = TIME_LENGTH - 1; index >= 0; index--) {
    if (left.charCodeAt(index) !== right.charCodeAt(index)) return false;
  }
  const name = headOfRecentRun(left)?.jobName;
  return name !== undefined && name === headOfRecentRun(right)?.jobName;
}

/** Which run a line is of, and since when. It orders the lines of a list, and is read in a fraction of the time that the whole line takes. */
export type RecentRunStart = Pick<RecentRun, 'jobName' | 'trigger' | 'scheduledTime' | 'createdTime'>;

/** `undefined` when the line cannot be read. */
export function startOfRecentRun(line: string): RecentRunStart | undefined {
  const head = headOfRecentRun(line);
  const first = parseTime(head?.time);
  if (head === undefined || first === undefined) return undefined;
  const triggerStart = triggerStartAfter(head);
  const trigger = TRIGGERS.find((each) => each === line.slice(triggerStart, endOfWord(line, triggerStart)));
  if (trigger === undefined) return undefined;
  const createdTime = after(first, durationIn(line, triggerStart + trigger.length + 1, 'late=') ?? 0);
  return { jobName: head.jobName, trigger, ...(trigger === 'Schedule' && { scheduledTime: first }), createdTime };
}

/** A line of `status.recentRuns`; `undefined` for one that cannot be read. Words like `name=value` that are not known are ignored. */
export function parseRecentRun(line: string): RecentRun | undefined {
  const [head, start] = [headOfRecentRun(line), startOfRecentRun(line)];
  if (head === undefined || start === undefined) return undefined;
  const spansStart = triggerStartAfter(head) + start.trigger.length + 1;
  const took = durationIn(line, spansStart, 'took=');
  const startTime = after(start.createdTime, durationIn(line, spansStart, 'queued=') ?? 0);
  return {
    ...start,
    ...(took !== undefined && { startTime, completionTime: after(startTime, took) }),
    result: head.result,
    ...causeIn(line.slice(endOfSpans(line, spansStart))),
  };
}

function triggerStartAfter({ time, result, jobName }: RecentRunHead): number {
  return time.length + result.length + jobName.length + 3;
}

const RESULTS = ['Running', 'Succeeded', 'Failed', 'Replaced', 'Unknown'] as const satisfies readonly RunResult[];
const TRIGGERS = ['Schedule', 'Manual', 'External'] as const satisfies readonly RunTrigger[];

function endOfWord(line: string, start: number): number {
  const end = line.indexOf(' ', start);
  return end < 0 ? line.length : end;
}

/** Where the first word begins that is not like `name=value`. */
function endOfSpans(line: string, start: number): number {
  let at = start;
  while (isSpan(line, at)) at = endOfWord(line, at) + 1;
  return at;
}

function isSpan(line: string, start: number): boolean {
  const equals = line.indexOf('=', start);
  return equals >= 0 && equals < endOfWord(line, start);
}

/** @param prefix Name and equals sign of the first word that has them, among those like `name=value` that begin at `start`. */
function durationIn(line: string, start: number, prefix: string): number | undefined {
  let at = start;
  while (isSpan(line, at)) {
    const end = endOfWord(line, at);
    if (line.startsWith(prefix, at)) return parseDuration(line.slice(at + prefix.length, end));
    at = end + 1;
  }
  return undefined;
}

function causeIn(text: string): Pick<RecentRun, 'reason' | 'message'> {
  if (text === '') return {};
  const end = text.indexOf(': ');
  return end < 0 ? { reason: text } : { reason: text.slice(0, end), message: text.slice(end + 2) };
}

function after(time: Date, seconds: number): Date {
  return seconds === 0 ? time : new Date(time.getTime() + seconds * 1000);
}

/** The line of a run that was active, with the result of one whose Job is gone. */
export function lineOfVanished(line: string, result: 'Replaced' | 'Unknown'): string {
  const changed = line.replace(' Running ', ` ${result} `);
  return cut(result === 'Replaced' ? changed : `${changed} JobDeleted`, MAX_RECENT_LINE_LENGTH);
}

/** As Go prints whole seconds: `1h3m5s`. */
export function formatDuration(seconds: number): string {
  const size = Math.abs(seconds);
  const [hours, minutes] = [Math.floor(size / 3600), Math.floor(size / 60) % 60];
  const shown = [hours > 0 ? `${hours}h` : '', hours > 0 || minutes > 0 ? `${minutes}m` : '', `${size % 60}s`].join('');
  return seconds < 0 ? `-${shown}` : shown;
}

function parseDuration(text: string): number | undefined {
  const [, sign, hours = '0', minutes = '0', seconds] = /^(-?)(?:(\d{1,9})h)?(?:(\d\d?)m)?(\d\d?)s$/.exec(text) ?? [];
  if (seconds === undefined) return undefined;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -size : size;
}

/** For example `2026-11-18T02:00:00Z Suspended`, or `2026-11-18T02:00:00Z Suspended last=2026-11-19T02:00:00Z count=2`. */
export function formatRecentSkip({ firstTime, lastTime, count, reason }: RecentSkip): string {
  const head = `${formatTime(firstTime)} ${reason}`;
  if (count === 1) return head;
  return `${head} last=${formatTime(lastTime)} count=${count > MAX_MISSED_SLOTS ? `${MAX_MISSED_SLOTS}+` : count}`;
}

/** A line of `status.recentSkips`; `undefined` for one that cannot be read. */
export function parseRecentSkip(line: string): RecentSkip | undefined {
  const [first, reason, ...rest] = line.split(' ');
  const firstTime = parseTime(first);
  if (firstTime === undefined || !reason) return undefined;
  const textOf = (name: string) => rest.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const [last, count] = [textOf('last'), textOf('count')];
  if (last === undefined || count === undefined) return { firstTime, lastTime: firstTime, count: 1, reason };
  const lastTime = parseTime(last);
  const number = count.endsWith('+') ? MAX_MISSED_SLOTS + 1 : Number(count);
  return lastTime === undefined || !Number.isInteger(number)
    ? undefined
    : { firstTime, lastTime, count: number, reason };
}
