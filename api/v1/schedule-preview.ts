/** Computes and formats the output of the commands `manager schedule` and `kubectl tcj schedule`. */
import { type DstNote, describeDstNote, type Schedule } from 'kubernetes-cron-schedule';
import { DEFAULT_TIME_ZONE } from './cronjob-defaults.ts';
import { formatInZone, type InvalidSchedule, parseSchedule } from './schedule.ts';

export interface PreviewRequest {
  readonly schedule: string;
  readonly timeZone: string;
  /** The start of the preview, and the anchor of `@every`. */
  readonly from: Date;
  /** The number of slots to list. */
  readonly count: number;
}

export interface SchedulePreview {
  readonly request: PreviewRequest;
  readonly description: string;
  /** The list has fewer than `count` elements if the schedule has no further slots within five years. */
  readonly slots: readonly Date[];
  readonly notes: readonly DstNote[];
}

export function previewSchedule(
  request: PreviewRequest,
): { readonly kind: 'ok'; readonly preview: SchedulePreview } | InvalidSchedule {
  const { schedule, timeZone, from } = request;
  const parsed = parseSchedule(schedule, { timeZone, anchor: from });
  return parsed.kind === 'invalid' ? parsed : { kind: 'ok', preview: buildPreview(request, parsed.schedule) };
}

/** The number of months to search for clock changes. */
const DST_MONTHS = 12;

function buildPreview(request: PreviewRequest, schedule: Schedule): SchedulePreview {
  const { from, count } = request;
  const slots = schedule.take(count, from);
  const notes = slots.length === 0 ? [] : schedule.dstNotes(from, { months: DST_MONTHS });
  const suffix = schedule.kind === 'every' ? ', counted from the time at which the schedule is set' : '';
  return { request, description: schedule.describe() + suffix, slots, notes };
}

const NEVER_RUNS_SENTENCE = 'The schedule never runs, because no time matches within five years.';
const NO_FURTHER_RUNS_SENTENCE = 'No further time matches within five years.';
const LOCAL_COLUMN_WIDTH = 'Sun 2026-03-29T02:30:00+01:00'.length;

export function formatPreview({ request, description, slots, notes }: SchedulePreview): string {
  const { schedule, timeZone, count } = request;
  const lines = [`${schedule}  (${timeZone})`, `${description}.`, ''];
  if (slots.length === 0) lines.push(NEVER_RUNS_SENTENCE);
  else lines.push(...formatColumns(slots, timeZone));
  if (slots.length > 0 && slots.length < count) lines.push(NO_FURTHER_RUNS_SENTENCE);
  if (notes.length > 0) lines.push('', 'Clock changes:', ...notes.map((note) => `  ${describeDstNote(note)}`));
  return `${lines.join('\n')}\n`;
}

/** Returns lines with the slots in the time zone and in UTC. If the time zone is UTC, the lines have one column. */
function formatColumns(slots: readonly Date[], timeZone: string): readonly string[] {
  const localColumn = [timeZone, ...slots.map((slot) => withWeekday(formatInZone(slot, timeZone)))];
  if (timeZone === DEFAULT_TIME_ZONE) return localColumn;
  const utcColumn = ['UTC', ...slots.map((slot) => formatInZone(slot))];
  return localColumn.map((cell, index) => `${cell.padEnd(LOCAL_COLUMN_WIDTH)}  ${utcColumn[index]}`);
}

function withWeekday(localTime: string): string {
  const day = new Date(`${localTime.slice(0, localTime.indexOf('T'))}T00:00:00Z`);
  return `${day.toUTCString().slice(0, 3)} ${localTime}`;
}

export function formatPreviewAsJson({ request, description, slots, notes }: SchedulePreview): string {
  const { schedule, timeZone, from } = request;
  const next = slots.map((slot) => ({ local: formatInZone(slot, timeZone), utc: formatInZone(slot) }));
  const clockChanges = notes.map((note) => ({
    effect: note.kind,
    at: formatInZone(note.at),
    runs: note.runs,
    words: describeDstNote(note),
  }));
  return `${JSON.stringify({ schedule, timeZone, from: formatInZone(from), words: description, next, clockChanges }, null, 2)}\n`;
}
