/**
 * Explains a schedule for `manager schedule` and `kubectl tcj schedule`: in words, with its next times and the effect of clock
 * changes.
 */
import { type DstNote, describeDstNote, type Schedule } from 'kubernetes-cron-schedule';
import { DEFAULT_TIME_ZONE } from './cronjob-defaults.ts';
import { formatInZone, type InvalidSchedule, parseSchedule } from './schedule.ts';

export interface PreviewRequest {
  readonly schedule: string;
  readonly timeZone: string;
  /** An `@every` also counts from this time, as if the CronJob were created then. */
  readonly from: Date;
  /** How many next times to list. */
  readonly count: number;
}

/** What a schedule means. */
export interface SchedulePreview {
  readonly request: PreviewRequest;
  readonly words: string;
  /** Shorter than `count` when the schedule never fires again. */
  readonly slots: readonly Date[];
  readonly notes: readonly DstNote[];
}

/** Never throws. */
export function previewSchedule(
  request: PreviewRequest,
): { readonly kind: 'ok'; readonly preview: SchedulePreview } | InvalidSchedule {
  const { schedule, timeZone, from } = request;
  const parsed = parseSchedule(schedule, { timeZone, anchor: from });
  return parsed.kind === 'invalid' ? parsed : { kind: 'ok', preview: buildPreview(request, parsed.schedule) };
}

/** How many months ahead to search for clock changes. */
const DST_MONTHS = 12;

function buildPreview(request: PreviewRequest, schedule: Schedule): SchedulePreview {
  const { from, count } = request;
  const slots = nextSlots(schedule, from, count);
  const notes = slots.length === 0 ? [] : schedule.dstNotes(from, { months: DST_MONTHS });
  const suffix = schedule.kind === 'every' ? ', counted from when the schedule is set' : '';
  return { request, words: schedule.describe() + suffix, slots, notes };
}

function nextSlots(schedule: Schedule, from: Date, count: number): readonly Date[] {
  const slots: Date[] = [];
  for (let slot = schedule.next(from); slot && slots.length < count; slot = schedule.next(slot)) slots.push(slot);
  return slots;
}

const NEVER = 'No time matches within five years: it never runs.';
const NO_MORE = 'None within five years after that.';
const LOCAL_WIDTH = 'Sun 2026-03-29T02:30:00+01:00'.length;

/** Formats the result for users. */
export function formatPreview({ request, words, slots, notes }: SchedulePreview): string {
  const { schedule, timeZone, count } = request;
  const lines = [`${schedule}  (${timeZone})`, `${words}.`, ''];
  if (slots.length === 0) lines.push(NEVER);
  else lines.push(...columns(slots, timeZone));
  if (slots.length > 0 && slots.length < count) lines.push(NO_MORE);
  if (notes.length > 0) lines.push('', 'Clock changes:', ...notes.map((note) => `  ${describeDstNote(note)}`));
  return `${lines.join('\n')}\n`;
}

/** The times in the zone and in UTC; one column when they are the same. */
function columns(slots: readonly Date[], timeZone: string): readonly string[] {
  const local = [timeZone, ...slots.map((slot) => withWeekday(formatInZone(slot, timeZone)))];
  if (timeZone === DEFAULT_TIME_ZONE) return local;
  const utc = ['UTC', ...slots.map((slot) => formatInZone(slot))];
  return local.map((cell, index) => `${cell.padEnd(LOCAL_WIDTH)}  ${utc[index]}`);
}

function withWeekday(local: string): string {
  const day = new Date(`${local.slice(0, local.indexOf('T'))}T00:00:00Z`);
  return `${day.toUTCString().slice(0, 3)} ${local}`;
}

/** Formats the result for programs. */
export function previewToJson({ request, words, slots, notes }: SchedulePreview): string {
  const { schedule, timeZone, from } = request;
  const next = slots.map((slot) => ({ local: formatInZone(slot, timeZone), utc: formatInZone(slot) }));
  const clockChanges = notes.map((note) => ({
    effect: note.kind,
    at: formatInZone(note.at),
    runs: note.runs,
    words: describeDstNote(note),
  }));
  return `${JSON.stringify({ schedule, timeZone, from: formatInZone(from), words, next, clockChanges }, null, 2)}\n`;
}
