import { instant } from 'controller-runtime';
import { formatTime } from '../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { OF_MANY, showsAllNamespaces } from '../cluster-flags.ts';
import type { Command, Invocation } from '../command.ts';
import { manyCronJobs, withSession } from '../cron-jobs.ts';
import { durationOf, flagValue } from '../flag-value.ts';
import { formatted, outputFlag, outputFormat } from '../output.ts';
import { type Agenda, agendaOf, MAX_SLOTS } from '../report/agenda.ts';
import { timeOf } from '../report/sentences.ts';
import { nextTime } from '../report/time-of-day.ts';
import { columns } from '../terminal/columns.ts';
import { oneLine } from '../terminal/texts.ts';
import { SHOWN_TIME_WIDTH, shownDuration, shownTime } from '../terminal/times.ts';
import { wrapped } from '../terminal/wrapped.ts';
import { nothingFound } from './list.ts';

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
  description: 'From then on: 02:00, the next where you are, or an instant.',
  default: '',
};
/** Of the table. */
const MAX_ROWS = 200;

export const nextCommand: Command = {
  name: 'next',
  description: 'Lists what will run, and the minutes in which most of it starts.',
  flags: [FROM, WITHIN, outputFlag(), ...OF_MANY],
  examples: [
    { wish: 'what runs in the next three hours, everywhere', line: 'next -A --within 3h' },
    { wish: 'what runs between two and three tonight', line: 'next -A --from 02:00 --within 1h' },
  ],
  run: (invocation) =>
    withSession(invocation, async (session) => {
      const { given, terminal, now } = invocation;
      const format = outputFormat(given);
      const from = fromOf(invocation);
      const until = new Date(from.getTime() + withinMs(given));
      const cronJobs = await manyCronJobs(invocation, session);
      const agenda = agendaOf(cronJobs, { from: from === now ? now : justBefore(from), until });
      const hasNamespaces = showsAllNamespaces(given);
      if (format === 'json' || format === 'yaml') terminal.out(formatted(asObject(agenda), format));
      else if (cronJobs.length === 0) terminal.err(nothingFound(hasNamespaces ? undefined : session.namespace));
      else terminal.out(asText(agenda, { now, from, until, hasNamespaces, width: terminal.width }));
      return 0;
    }),
};

/** @returns `now` itself when none is given. */
function fromOf({ given, now, localZone = DEFAULT_TIME_ZONE }: Invocation): Date {
  const text = given.get(FROM.name);
  return text === undefined ? now : (nextTime(text, localZone, now) ?? flagValue(FROM.name, text, instant));
}

/** What starts at the time itself is asked for too. */
function justBefore(time: Date): Date {
  return new Date(time.getTime() - 1);
}

function withinMs(given: ReadonlyMap<string, string>): number {
  return durationOf(WITHIN.name, given.get(WITHIN.name) ?? WITHIN.default, MAX_WITHIN_HOURS);
}

interface TextOptions {
  readonly now: Date;
  readonly from: Date;
  readonly until: Date;
  readonly hasNamespaces: boolean;
  readonly width: number | undefined;
}

function asText(
  { slots, frequent, busiest, silent }: Agenda,
  { now, from, until, hasNamespaces, width }: TextOptions,
): string {
  const shown = slots.slice(0, MAX_ROWS);
  const left = slots.length - shown.length;
  const table = columns(
    [
      ...[
        { head: 'TIME', fit: 'cut' as const, min: SHOWN_TIME_WIDTH },
        { head: 'IN' },
        ...(hasNamespaces ? [{ head: 'NAMESPACE' }] : []),
        { head: 'NAME' },
      ],
      { head: 'SCHEDULE', fit: 'cut' },
    ],
    shown.map(({ at, cronJob }) => [
      timeOf(cronJob, at),
      shownDuration(at.getTime() - now.getTime()),
      ...(hasNamespaces ? [cronJob.metadata.namespace] : []),
      cronJob.metadata.name,
      cronJob.spec.schedule,
    ]),
    width,
  );
  const lines = (text: string) => `${wrapped(oneLine(text), width, '  ')}\n`;
  const minutes = busiest.map(({ at, starts }) => `${shownTime(at)} (${starts} starts)`);
  return [
    slots.length > 0
      ? table
      : frequent.length > 0
        ? ''
        : `Nothing runs ${from === now ? '' : `from ${shownTime(from)} `}until ${shownTime(until)}.\n`,
    left > 0 ? `… and ${left} more: give a shorter --within\n` : '',
    frequent.length > 0
      ? lines(`More than ${MAX_SLOTS} times: ${frequent.map((each) => nameOf(each, hasNamespaces)).join(', ')}`)
      : '',
    minutes.length > 0 ? lines(`Most start at: ${minutes.join(', ')}`) : '',
    silent.length > 0
      ? lines(`Suspended or paused, and not listed: ${silent.map((each) => keyOf(each, hasNamespaces)).join(', ')}`)
      : '',
  ].join('');
}

function nameOf(cronJob: CronJob, hasNamespaces: boolean): string {
  return `${keyOf(cronJob, hasNamespaces)} (${cronJob.spec.schedule})`;
}

function keyOf({ metadata }: CronJob, hasNamespaces: boolean): string {
  return `${hasNamespaces ? `${metadata.namespace}/` : ''}${metadata.name}`;
}

function asObject({ slots, frequent, busiest, silent }: Agenda): object {
  const key = ({ metadata: { namespace, name } }: CronJob) => ({ namespace, name });
  return {
    slots: slots.map(({ at, cronJob }) => ({ time: formatTime(at), ...key(cronJob), schedule: cronJob.spec.schedule })),
    frequent: frequent.map(key),
    busiest: busiest.map(({ at, starts }) => ({ time: formatTime(at), starts })),
    silent: silent.map(key),
  };
}
