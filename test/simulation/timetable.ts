/**
 * The scheduled times of a CronJob, computed from all fields of the spec that define them, slot by slot. Shares no code with the
 * operator, which the rules test.
 */
import type { CronJobSpec } from '../../api/v1/cronjob-types.ts';
import {
  createMinuteMatcher,
  findOffsetLookup,
  memoize,
  readSchedule,
  type ScheduleReadResult,
  type Slots,
} from './calendar.ts';
import { DAY_MS } from './durations.ts';

/** The slots that are not excluded. */
export interface TimetableSlots extends Slots {
  /** All slots, including the excluded ones. */
  readonly all: Slots;
  readonly isExcluded: (slot: Date) => boolean;
}

export type TimetableResult =
  | { readonly kind: 'ok'; readonly slots: TimetableSlots }
  | Extract<ScheduleReadResult, { kind: 'invalid' }>;

/** The rules ask at each status write, and a cluster copies a spec at each write. A timetable keeps its answers, so equal ones are shared. */
const results = new WeakMap<CronJobSpec, { readonly anchorMs: number; readonly result: TimetableResult }>();
const timetables = new Map<string, TimetableResult>();

/** @param anchor `@every` counts from here. */
export function readTimetable(spec: CronJobSpec, anchor: Date): TimetableResult {
  const known = results.get(spec);
  if (known?.anchorMs === anchor.getTime()) return known.result;
  const { schedule, schedules, startTime, endTime, exclude, timeZone, daylightSaving } = spec;
  const key = JSON.stringify([schedule, schedules, startTime, endTime, exclude, timeZone, daylightSaving, anchor]);
  const result = memoize(timetables, key, () => computeTimetable(spec, anchor));
  results.set(spec, { anchorMs: anchor.getTime(), result });
  return result;
}

function computeTimetable(spec: CronJobSpec, anchor: Date): TimetableResult {
  const { schedule, schedules = [], exclude = [], timeZone: zone = 'UTC', daylightSaving } = spec;
  const read = (text: string) => readSchedule(text, { zone, anchor, daylightSaving });
  const parsed: Slots[] = [];
  for (const text of [schedule, ...schedules]) {
    const each = read(text);
    if (each.kind === 'invalid') return each;
    parsed.push(each.slots);
  }
  const isOne = schedules.length === 0 && spec.startTime === undefined && spec.endTime === undefined;
  const united = isOne && parsed[0] ? parsed[0] : combine(parsed, spec);
  const all = new RemainingSlots(united, spec.startTime);
  const exclusions = exclude.map((each) => createExclusion(each, zone));
  const isExcluded = (slot: Date) => exclusions.some((covers) => covers(slot));
  const remaining = exclude.length === 0 ? all : new RemainingSlots(united, spec.startTime, isExcluded);
  const slots: TimetableSlots = {
    next: (after) => remaining.next(after),
    previous: (notAfter) => remaining.previous(notAfter),
    between: (after, until, options) => remaining.between(after, until, options),
    all,
    isExcluded,
  };
  return { kind: 'ok', slots };
}

/** The slots of several schedules in [startTime, endTime). */
function combine(schedules: readonly Slots[], { startTime, endTime }: CronJobSpec): Slots {
  const startMs = startTime === undefined ? Number.NEGATIVE_INFINITY : Date.parse(startTime);
  const endMs = endTime === undefined ? Number.POSITIVE_INFINITY : Date.parse(endTime);
  const keep = (slotMs: number) =>
    Number.isFinite(slotMs) && slotMs >= startMs && slotMs < endMs ? new Date(slotMs) : undefined;
  const toMs = (slots: readonly (Date | undefined)[]) =>
    slots.filter((slot) => slot !== undefined).map((slot) => slot.getTime());
  const next = (after: Date) => {
    const from = new Date(Math.max(after.getTime(), startMs - 1));
    return keep(Math.min(...toMs(schedules.map((schedule) => schedule.next(from)))));
  };
  const previous = (notAfter: Date) => {
    const until = new Date(Math.min(notAfter.getTime(), endMs - 1));
    return keep(Math.max(...toMs(schedules.map((schedule) => schedule.previous(until)))));
  };
  return { next, previous, between: (after, until, { limit }) => listBetween(next, [after, until], limit) };
}

function listBetween(next: Slots['next'], [after, until]: readonly [Date, Date], limit: number): readonly Date[] {
  const slots: Date[] = [];
  let slot = next(after);
  while (slot !== undefined && slot <= until && slots.length < limit) {
    slots.push(slot);
    slot = next(slot);
  }
  return slots;
}

function createExclusion(
  { startTime = '', endTime = '', dates, schedule }: NonNullable<CronJobSpec['exclude']>[number],
  zone: string,
): (slot: Date) => boolean {
  if (dates !== undefined) return createDateMatcher(dates, zone);
  if (schedule === undefined) {
    const [startMs, endMs] = [Date.parse(startTime), Date.parse(endTime)];
    return (slot) => slot.getTime() >= startMs && slot.getTime() < endMs;
  }
  return createMinuteMatcher(schedule, zone);
}

/** Whether the calendar of the zone shows one of the dates. Looks up the offset only near one of them, because that takes long. */
function createDateMatcher(dates: readonly string[], zone: string): (slot: Date) => boolean {
  const midnightsMs = dates.map((date) => Date.parse(date));
  return (slot) => {
    const slotMs = slot.getTime();
    if (!midnightsMs.some((midnightMs) => Math.abs(midnightMs - slotMs) < 3 * DAY_MS)) return false;
    const offsetMs = findOffsetLookup(zone)?.(slotMs) ?? 0;
    return dates.includes(new Date(slotMs + offsetMs).toISOString().slice(0, 'yyyy-mm-dd'.length));
  };
}

/** When so many consecutive slots are excluded, all of them are. */
const MAX_STEPS = 100_000;
/** No slot is farther away than this. */
const HORIZON_MS = 6 * 366 * DAY_MS;

/** An answer, which holds for all questions between `fromMs` and `untilMs`, both included. */
interface Answer {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly slot: Date | undefined;
}

/** The rules ask about now, the deadline and the handled time. */
const MAX_ANSWERS = 4;

/** The slots that are not excluded. Keeps its last answers, because it may look at many slots for one of them. */
class RemainingSlots implements Slots {
  readonly #all: Slots;
  readonly #startMs: number;
  readonly #isExcluded: (slot: Date) => boolean;
  /** The newest first. */
  #next: readonly Answer[] = [];
  #previous: readonly Answer[] = [];

  constructor(all: Slots, startTime: string | undefined, isExcluded: (slot: Date) => boolean = () => false) {
    this.#all = all;
    this.#startMs = startTime === undefined ? Number.NEGATIVE_INFINITY : Date.parse(startTime);
    this.#isExcluded = isExcluded;
  }

  next(after: Date): Date | undefined {
    return this.#findNext(after).slot;
  }

  #findNext(after: Date): Answer {
    const fromMs = after.getTime();
    const known = findAnswer(this.#next, fromMs);
    if (known !== undefined) return known;
    const limit = new Date(Math.max(fromMs, this.#startMs) + HORIZON_MS);
    let step = 0;
    let slot = this.#all.next(after);
    for (; slot !== undefined && this.#isExcluded(slot); step++) {
      slot = step < MAX_STEPS && slot < limit ? this.#all.next(slot) : undefined;
    }
    if (slot !== undefined && slot > limit) slot = undefined;
    const endMs = step > MAX_STEPS ? Number.POSITIVE_INFINITY : fromMs + DAY_MS;
    const answer = { fromMs, untilMs: slot === undefined ? endMs : slot.getTime() - 1, slot };
    this.#next = addAnswer(this.#next, answer);
    return answer;
  }

  previous(notAfter: Date): Date | undefined {
    const known = findAnswer(this.#previous, notAfter.getTime());
    if (known !== undefined) return known.slot;
    const found = this.#findPrevious(notAfter);
    this.#previous = addAnswer(this.#previous, { ...found, untilMs: this.#findNext(notAfter).untilMs });
    return found.slot;
  }

  #findPrevious(notAfter: Date): Omit<Answer, 'untilMs'> {
    const atMs = notAfter.getTime();
    const limit = new Date(atMs - HORIZON_MS);
    let step = 0;
    let slot = this.#all.previous(notAfter);
    for (; slot !== undefined && this.#isExcluded(slot); step++) {
      const known = findAnswer(this.#previous, slot.getTime());
      if (known !== undefined) return known;
      slot = step < MAX_STEPS && slot > limit ? this.#all.previous(new Date(slot.getTime() - 1)) : undefined;
    }
    if (slot !== undefined && slot < limit) slot = undefined;
    const startMs = step > MAX_STEPS ? Number.NEGATIVE_INFINITY : atMs;
    return { fromMs: slot === undefined ? startMs : slot.getTime(), slot };
  }

  between(after: Date, until: Date, { limit }: { readonly limit: number }): readonly Date[] {
    return listBetween((from) => this.next(from), [after, until], limit);
  }
}

function findAnswer(answers: readonly Answer[], ms: number): Answer | undefined {
  return answers.find(({ fromMs, untilMs }) => ms >= fromMs && ms <= untilMs);
}

function addAnswer(answers: readonly Answer[], answer: Answer): readonly Answer[] {
  return [answer, ...answers.slice(0, MAX_ANSWERS - 1)];
}
