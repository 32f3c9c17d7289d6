import { formatTime } from '../../api/time.ts';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { OF_MANY, showsAllNamespaces } from '../cluster-flags.ts';
import type { Command } from '../command.ts';
import { manyCronJobs, withSession } from '../cron-jobs.ts';
import { durationOf } from '../flag-value.ts';
import { formatted, outputFlag, outputFormat } from '../output.ts';
import { type Agenda, agendaOf } from '../report/agenda.ts';
import { timeOf } from '../report/sentences.ts';
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
/** Of the table. */
const MAX_ROWS = 200;

export const nextCommand: Command = {
  name: 'next',
  description: 'Lists what will run, and the minutes in which most of it starts.',
  flags: [WITHIN, outputFlag(), ...OF_MANY],
  examples: [{ wish: 'what runs in the next three hours, everywhere', line: 'next -A --within 3h' }],
  run: (invocation) =>
    withSession(invocation, async (session) => {
      const { given, terminal, now } = invocation;
      const format = outputFormat(given);
      const until = new Date(now.getTime() + withinMs(given));
      const cronJobs = await manyCronJobs(invocation, session);
      const agenda = agendaOf(cronJobs, { from: now, until });
      const hasNamespaces = showsAllNamespaces(given);
      if (format === 'json' || format === 'yaml') terminal.out(formatted(asObject(agenda), format));
      else if (cronJobs.length === 0) terminal.err(nothingFound(hasNamespaces ? undefined : session.namespace));
      else terminal.out(asText(agenda, { now, until, hasNamespaces, width: terminal.width }));
      return 0;
    }),
};

function withinMs(given: ReadonlyMap<string, string>): number {
  return durationOf(WITHIN.name, given.get(WITHIN.name) ?? WITHIN.default, MAX_WITHIN_HOURS);
}

interface TextOptions {
  readonly now: Date;
  readonly until: Date;
  readonly hasNamespaces: boolean;
  readonly width: number | undefined;
}

function asText({ slots, frequent, busiest }: Agenda, { now, until, hasNamespaces, width }: TextOptions): string {
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
    slots.length > 0 ? table : frequent.length > 0 ? '' : `Nothing runs before ${shownTime(until)}.\n`,
    left > 0 ? `… and ${left} more: give a shorter --within\n` : '',
    frequent.length > 0 ? lines(`Often: ${frequent.map((each) => nameOf(each, hasNamespaces)).join(', ')}`) : '',
    minutes.length > 0 ? lines(`Busiest: ${minutes.join(', ')}`) : '',
  ].join('');
}

function nameOf({ metadata, spec }: CronJob, hasNamespaces: boolean): string {
  return `${hasNamespaces ? `${metadata.namespace}/` : ''}${metadata.name} (${spec.schedule})`;
}

function asObject({ slots, frequent, busiest }: Agenda): object {
  const key = ({ metadata: { namespace, name } }: CronJob) => ({ namespace, name });
  return {
    slots: slots.map(({ at, cronJob }) => ({ time: formatTime(at), ...key(cronJob) })),
    frequent: frequent.map(key),
    busiest: busiest.map(({ at, starts }) => ({ time: formatTime(at), starts })),
  };
}
