import { instant } from 'controller-runtime';
import { TIME_ZONE_NAMES } from 'kubernetes-cron-schedule';
import { formatTime } from '../../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { clockTime } from '../../../api/v1/schedule.ts';
import { OF_MANY, showsAllNamespaces } from '../cluster-flags.ts';
import { type Command, type Flag, type Invocation, type Terminal, UsageError } from '../command.ts';
import { manyCronJobs, withSession } from '../cron-jobs.ts';
import { durationOf } from '../flag-value.ts';
import { didYouMean } from '../nearest.ts';
import { absentNamespace, nothingFound } from '../nothing-found.ts';
import { formatted, type OutputFormat, outputFlag, outputFormat } from '../output.ts';
import { type Agenda, type AgendaSlot, agendaOf, type Frequent, mostSlots, type Span } from '../report/agenda.ts';
import { scheduleOf } from '../report/schedule-of.ts';
import { timeOf } from '../report/sentences.ts';
import { nextTime, TIME_FORMS } from '../report/time-of-day.ts';
import { type Column, columns } from '../terminal/columns.ts';
import { oneLine } from '../terminal/texts.ts';
import { shownClock, shownDuration } from '../terminal/times.ts';
import { wrapped } from '../terminal/wrapped.ts';

const DEFAULT_WITHIN = '24h';
const MAX_WITHIN_HOURS = 168;
const WITHIN = {
  name: 'within',
  value: 'duration',
  description: 'How far to look ahead, such as 3h.',
  default: DEFAULT_WITHIN,
};
const FROM = {
  name: 'from',
  value: 'time',
  description: 'From 02:00 or 2026-11-23 02:00 on, in the time zone.',
  default: '',
};
const TIME_ZONE: Flag = {
  name: 'time-zone',
  value: 'zone',
  description: 'Of all times. Default where you are.',
  default: '',
  values: TIME_ZONE_NAMES,
};
const FORMATS = ['wide'] as const;
/** Of the table. */
const MAX_ROWS = 200;

export const nextCommand: Command = {
  name: 'next',
  description: 'Lists what will run, and the minutes in which most of it starts.',
  flags: [FROM, WITHIN, TIME_ZONE, outputFlag(FORMATS), ...OF_MANY],
  examples: [
    { wish: 'what runs in the next three hours, everywhere', line: 'next -A --within 3h' },
    { wish: 'what runs between two and three tonight', line: 'next -A --from 02:00 --within 1h' },
    { wish: 'with the times in the zone of each schedule', line: 'next -o wide' },
  ],
  run: (invocation) =>
    withSession(invocation, async (session) => {
      const { given, terminal, now } = invocation;
      const format = outputFormat(given, FORMATS);
      const timeZone = zoneOf(invocation);
      const from = fromOf(invocation, timeZone);
      const until = new Date(from.getTime() + withinMs(given));
      const cronJobs = await manyCronJobs(invocation, session);
      // What starts at the time itself is asked for too; what has started now is not.
      const span = { from: from === now ? new Date(now.getTime() + 1) : from, until };
      const agenda = agendaOf(cronJobs, span);
      const hasNamespaces = showsAllNamespaces(given);
      const fit = fitOf(format, terminal);
      if (format === 'json' || format === 'yaml') {
        terminal.out(formatted(asObject(agenda), format));
        if (cronJobs.length === 0) terminal.err(await absentNamespace(invocation, session));
      } else if (cronJobs.length === 0) terminal.err(await nothingFound(invocation, session));
      else terminal.out(asText(agenda, { now, from, span, timeZone, hasNamespaces, ...fit }));
      return 0;
    }),
};

function zoneOf({ given, now, localZone = DEFAULT_TIME_ZONE }: Invocation): string {
  const name = given.get(TIME_ZONE.name);
  const zone = name ?? localZone;
  if (clockTime(now, zone) !== undefined) return zone;
  if (name === undefined) return DEFAULT_TIME_ZONE;
  const hint = didYouMean(name, TIME_ZONE_NAMES) || '; give a name such as Europe/Berlin';
  throw new UsageError(`--${TIME_ZONE.name}: there is no time zone ${JSON.stringify(name)}${hint}`);
}

/** @returns `now` itself when none is given. */
function fromOf({ given, now }: Invocation, timeZone: string): Date {
  const text = given.get(FROM.name);
  if (text === undefined) return now;
  const parsed = instant(text);
  const time = nextTime(text, timeZone, now) ?? (parsed.kind === 'ok' ? parsed.value : undefined);
  if (time !== undefined) return time;
  throw new UsageError(`--${FROM.name}: ${JSON.stringify(text)} is not valid: give ${TIME_FORMS}`);
}

function withinMs(given: ReadonlyMap<string, string>): number {
  return durationOf(WITHIN.name, given.get(WITHIN.name) ?? WITHIN.default, MAX_WITHIN_HOURS);
}

function fitOf(format: OutputFormat, { width }: Terminal): Pick<TextOptions, 'width' | 'isWide'> {
  const isWide = format === 'wide';
  return { isWide, width: isWide ? undefined : width };
}

interface TextOptions {
  readonly now: Date;
  readonly from: Date;
  readonly span: Span;
  /** Of all times. */
  readonly timeZone: string;
  readonly hasNamespaces: boolean;
  readonly width: number | undefined;
  /** Whether each time is also told in the zone of its schedule. */
  readonly isWide: boolean;
}

function asText({ slots, frequent, busiest, silent }: Agenda, options: TextOptions): string {
  const { from, span, timeZone, hasNamespaces, width } = options;
  const left = slots.length - MAX_ROWS;
  const clockOf = (time: Date) => shownClock(time, timeZone);
  const lines = (text: string, head = '') => `${wrapped(`${head}${oneLine(text)}`, width, `${head}  `)}\n`;
  const minutes = busiest.map(({ at, starts }) => `${clockOf(at)} (${starts} starts)`);
  const isEmpty = slots.length + frequent.length === 0;
  return [
    `Times are those of ${timeZone}.\n`,
    slots.length > 0 ? asTable(slots.slice(0, MAX_ROWS), options) : '',
    isEmpty
      ? `Nothing runs ${from === options.now ? '' : `from ${clockOf(from)} `}until ${clockOf(span.until)}.\n`
      : '',
    left > 0 ? `… and ${left} more: give a shorter --within\n` : '',
    frequent.length > 0 ? `More than ${mostSlots(span)} times each:\n` : '',
    ...frequent.map((each) => lines(frequentText(each, hasNamespaces, { timeZone, clockOf }), '  ')),
    minutes.length > 0 ? lines(`Most start at: ${minutes.join(', ')}`) : '',
    silent.length > 0
      ? lines(`Suspended or paused, and not listed: ${silent.map((each) => keyOf(each, hasNamespaces)).join(', ')}`)
      : '',
  ].join('');
}

function asTable(slots: readonly AgendaSlot[], { now, timeZone, hasNamespaces, width, isWide }: TextOptions): string {
  const head: readonly Column[] = [
    ...[{ head: 'TIME' }, { head: 'IN' }],
    ...(hasNamespaces ? [{ head: 'NAMESPACE' }] : []),
    ...[{ head: 'NAME' }, { head: 'SCHEDULE', fit: 'cut' as const }],
    ...(isWide ? [{ head: 'TIME OF SCHEDULE' }] : []),
  ];
  const rows = slots.map(({ at, cronJob }) => [
    ...[shownClock(at, timeZone), shownDuration(at.getTime() - now.getTime())],
    ...(hasNamespaces ? [cronJob.metadata.namespace] : []),
    ...[cronJob.metadata.name, cronJob.spec.schedule],
    ...(isWide ? [timeOf(cronJob, at)] : []),
  ]);
  return columns(head, rows, width);
}

function frequentText(
  { cronJob, starts, suspendedUntil }: Frequent,
  hasNamespaces: boolean,
  { timeZone, clockOf }: { readonly timeZone: string; readonly clockOf: (time: Date) => string },
): string {
  const own = cronJob.spec.timeZone ?? DEFAULT_TIME_ZONE;
  const words = scheduleOf(cronJob)?.describe() ?? cronJob.spec.schedule;
  const suspension = suspendedUntil === undefined ? '' : `, suspended until ${clockOf(suspendedUntil)}`;
  return `${keyOf(cronJob, hasNamespaces)}: ${words}${own === timeZone ? '' : `, by the clock of ${own}`} (${starts} times${suspension})`;
}

function keyOf({ metadata }: CronJob, hasNamespaces: boolean): string {
  return `${hasNamespaces ? `${metadata.namespace}/` : ''}${metadata.name}`;
}

function asObject({ slots, frequent, busiest, silent }: Agenda): object {
  const key = ({ metadata: { namespace, name } }: CronJob) => ({ namespace, name });
  return {
    slots: slots.map(({ at, cronJob }) => ({
      ...{ time: formatTime(at), ...key(cronJob) },
      ...{ schedule: cronJob.spec.schedule, timeZone: cronJob.spec.timeZone ?? DEFAULT_TIME_ZONE },
    })),
    frequent: frequent.map(({ cronJob, starts, suspendedUntil }) => ({
      ...{ ...key(cronJob), starts },
      ...(suspendedUntil && { suspendedUntil: formatTime(suspendedUntil) }),
    })),
    busiest: busiest.map(({ at, starts }) => ({ time: formatTime(at), starts })),
    silent: silent.map(key),
  };
}
