/** `manager schedule`: describes a schedule and lists its next runs. A pure function: it uses neither the process nor the clock. */
import {
  type CommandLine,
  instant,
  integer,
  oneOf,
  type Parsed,
  readCommandLine,
  USAGE_EXIT_CODE,
} from 'controller-runtime';
import { type DstNote, describeDstNote, type Schedule } from 'kubernetes-cron-schedule';
import { DEFAULT_TIME_ZONE } from '../api/v1/cronjob-defaults.ts';
import { formatInZone, parseSchedule } from '../api/v1/schedule.ts';

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param args What comes after `manager schedule`. @param now Stands for `--from` when that is not given. */
export function scheduleCommand(args: readonly string[], now: Date): CommandResult {
  const read = readArguments(args, now);
  if (read.kind === 'done') return read.result;
  const { question } = read;
  // An @every counts from the time its schedule was set. Here that is --from, as if the CronJob were created then.
  const parsed = parseSchedule(question.schedule, { timeZone: question.timeZone, anchor: question.from });
  if (parsed.kind === 'invalid') return failed(REFUSED_EXIT_CODE, parsed.message);
  const answer = answerTo(question, parsed.schedule);
  return succeeded(question.output === 'json' ? asJson(answer) : asText(answer));
}

/** Exit code for a schedule or a zone that is not accepted. */
const REFUSED_EXIT_CODE = 1;
/** Changes of the clock are looked for so far ahead. */
const DST_MONTHS = 12;

interface Question {
  readonly schedule: string;
  readonly timeZone: string;
  readonly from: Date;
  readonly count: number;
  readonly output: (typeof OUTPUTS)[number];
}

type Read =
  | { readonly kind: 'ok'; readonly question: Question }
  /** Nothing is left to do but to say it. */
  | { readonly kind: 'done'; readonly result: CommandResult };

function readArguments(args: readonly string[], now: Date): Read {
  const read = readCommandLine(COMMAND_LINE, args);
  switch (read.kind) {
    case 'ok':
      return questionOf(read.argument, read.given, now);
    case 'show':
      return { kind: 'done', result: succeeded(read.text) };
    case 'invalid': {
      const lines = [read.message, ...(read.reason === 'ExcessArguments' ? [QUOTES_HINT] : []), SEE_HELP];
      return { kind: 'done', result: failed(USAGE_EXIT_CODE, lines.join('\n')) };
    }
  }
}

const QUOTES_HINT = 'put the schedule in quotes: "*/5 * * * *"';
const SEE_HELP = 'see manager schedule --help';

const MAX_COUNT = 1000;
const OUTPUTS = ['text', 'json'] as const;

const TIME_ZONE = {
  name: 'time-zone',
  value: 'name',
  description: 'As in .spec.timeZone, such as Europe/Berlin.',
  default: DEFAULT_TIME_ZONE,
};
const FROM = {
  name: 'from',
  value: 'instant',
  description: 'Time to start from, such as 2026-03-28T00:00:00Z.',
  default: 'now',
};
const COUNT = {
  name: 'count',
  short: 'n',
  value: 'count',
  description: `Number of times to print, 1 to ${MAX_COUNT}.`,
  default: '5',
};
const OUTPUT = {
  name: 'output',
  short: 'o',
  value: 'format',
  description: `Output format: one of ${OUTPUTS.join(', ')}.`,
  default: 'text',
};

const COMMAND_LINE: CommandLine = {
  name: 'manager schedule',
  description: 'Prints what a schedule means: in words, its next times, and clock changes that skip or repeat a run.',
  argument: { name: 'schedule', description: 'As in .spec.schedule, in quotes: "30 2 * * *", @daily, "@every 90m".' },
  flags: [TIME_ZONE, FROM, COUNT, OUTPUT],
};

function questionOf(schedule: string, given: ReadonlyMap<string, string>, now: Date): Read {
  const textOf = (flag: typeof TIME_ZONE) => given.get(flag.name) ?? flag.default;
  const timeZone = textOf(TIME_ZONE);
  const from: Parsed<Date> = textOf(FROM) === FROM.default ? { kind: 'ok', value: now } : instant(textOf(FROM));
  const count = integer(1, MAX_COUNT)(textOf(COUNT));
  const output = oneOf(OUTPUTS)(textOf(OUTPUT));
  if (from.kind === 'ok' && count.kind === 'ok' && output.kind === 'ok') {
    return { kind: 'ok', question: { schedule, timeZone, from: from.value, count: count.value, output: output.value } };
  }
  const problems = [
    ...problemOf(FROM.name, textOf(FROM), from),
    ...problemOf(COUNT.name, textOf(COUNT), count),
    ...problemOf(OUTPUT.name, textOf(OUTPUT), output),
  ];
  return { kind: 'done', result: failed(USAGE_EXIT_CODE, problems.join('\n')) };
}

function problemOf(name: string, given: string, parsed: Parsed<unknown>): readonly string[] {
  return parsed.kind === 'invalid' ? [`--${name}: "${given}" is not valid: ${parsed.message}`] : [];
}

interface Answer {
  readonly question: Question;
  readonly words: string;
  /** Fewer than asked for where the schedule never fires again. */
  readonly slots: readonly Date[];
  readonly notes: readonly DstNote[];
}

function answerTo(question: Question, schedule: Schedule): Answer {
  const { from, count } = question;
  const slots = nextSlots(schedule, from, count);
  const notes = slots.length === 0 ? [] : schedule.dstNotes(from, { months: DST_MONTHS });
  const suffix = schedule.kind === 'every' ? ', counted from when the schedule is set' : '';
  return { question, words: schedule.describe() + suffix, slots, notes };
}

function nextSlots(schedule: Schedule, from: Date, count: number): readonly Date[] {
  const slots: Date[] = [];
  for (let slot = schedule.next(from); slot && slots.length < count; slot = schedule.next(slot)) slots.push(slot);
  return slots;
}

const NEVER = 'No time matches within five years: it never runs.';
const NO_MORE = 'None within five years after that.';
const LOCAL_WIDTH = 'Sun 2026-03-29T02:30:00+01:00'.length;

function asText({ question, words, slots, notes }: Answer): string {
  const { schedule, timeZone, count } = question;
  const lines = [`${schedule}  (${timeZone})`, `${words}.`, ''];
  if (slots.length === 0) lines.push(NEVER);
  else lines.push(...columns(slots, timeZone));
  if (slots.length > 0 && slots.length < count) lines.push(NO_MORE);
  if (notes.length > 0) lines.push('', 'Changes of the clock:', ...notes.map((note) => `  ${describeDstNote(note)}`));
  return `${lines.join('\n')}\n`;
}

/** The zone's times and UTC; one column where that is the same. */
function columns(slots: readonly Date[], timeZone: string): readonly string[] {
  const local = [timeZone, ...slots.map((slot) => withWeekday(formatInZone(slot, timeZone)))];
  if (timeZone === DEFAULT_TIME_ZONE) return local;
  const utc = ['UTC', ...slots.map((slot) => formatInZone(slot))];
  return local.map((cell, index) => `${cell.padEnd(LOCAL_WIDTH)}  ${utc[index]}`);
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function withWeekday(local: string): string {
  const day = new Date(`${local.slice(0, local.indexOf('T'))}T00:00:00Z`);
  return `${WEEKDAYS[day.getUTCDay()]} ${local}`;
}

function asJson({ question, words, slots, notes }: Answer): string {
  const { schedule, timeZone, from } = question;
  const next = slots.map((slot) => ({ local: formatInZone(slot, timeZone), utc: formatInZone(slot) }));
  const clockChanges = notes.map((note) => ({
    effect: note.kind,
    at: formatInZone(note.at),
    runs: note.runs,
    words: describeDstNote(note),
  }));
  return `${JSON.stringify({ schedule, timeZone, from: formatInZone(from), words, next, clockChanges }, null, 2)}\n`;
}

function succeeded(stdout: string): CommandResult {
  return { exitCode: 0, stdout, stderr: '' };
}

function failed(exitCode: number, message: string): CommandResult {
  return { exitCode, stdout: '', stderr: `manager schedule: ${message}\n` };
}
