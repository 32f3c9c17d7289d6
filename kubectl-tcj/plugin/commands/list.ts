import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { OF_MANY, SELECTOR, showsAllNamespaces } from '../cluster-flags.ts';
import type { Command, Invocation, Terminal } from '../command.ts';
import { manyCronJobs, withSession } from '../cron-jobs.ts';
import { sources } from '../import/source.ts';
import { messageOf } from '../message-of.ts';
import { absentNamespace, nothingFound } from '../nothing-found.ts';
import { changedObjects, formatted, type OutputFormat, outputFlag, outputFormat } from '../output.ts';

import { lastRunText, nextRunText } from '../report/run-texts.ts';
import { byStanding, needsAttention, type Standing, shownStanding, standingOf } from '../report/standing.ts';
import { why } from '../report/why.ts';
import type { Session } from '../session.ts';
import { type Cell, type Column, columns } from '../terminal/columns.ts';
import { painted, type Tone } from '../terminal/paint.ts';

const FORMATS = ['wide', 'name'] as const;

export const listCommand: Command = {
  name: 'list',
  description: 'Lists CronJobs, what needs attention first.',
  flags: [outputFlag(FORMATS), ...OF_MANY],
  examples: [
    { wish: 'what has failed, is overdue or paused', line: 'list -A' },
    { wish: 'why, in a sentence each', line: 'list -o wide' },
  ],
  run: (invocation) =>
    withSession(invocation, async (session) => {
      const format = outputFormat(invocation.given, FORMATS);
      const cronJobs = (await manyCronJobs(invocation, session)).toSorted(byStanding(invocation.now));
      const isForPrograms = format === 'json' || format === 'yaml';
      if (cronJobs.length > 0 || isForPrograms) print(cronJobs, format, invocation);
      if (cronJobs.length === 0 && isForPrograms) invocation.terminal.err(await absentNamespace(invocation, session));
      else if (cronJobs.length === 0) await sayNothingFound(invocation, session);
      return 0;
    }),
};

function print(cronJobs: readonly CronJob[], format: OutputFormat, { given, terminal, now }: Invocation): void {
  if (format === 'json' || format === 'yaml') {
    const objects = cronJobs.map((each) => asObject(each, now));
    terminal.out(formatted(objects, format));
  } else if (format === 'name') terminal.out(changedObjects(cronJobs, format));
  else {
    const hasNamespaces = showsAllNamespaces(given);
    terminal.out(asTable(cronJobs, { now, isWide: format === 'wide', hasNamespaces, terminal }));
    if (format === 'text' && terminal.width !== undefined) terminal.out(attention(cronJobs, now));
  }
}

async function sayNothingFound(invocation: Invocation, session: Session): Promise<void> {
  const { terminal } = invocation;
  terminal.err(await nothingFound(invocation, session));
  if (await hasSources(invocation, session)) terminal.err(OF_BATCH);
}

/** Empty where none needs any. */
function attention(cronJobs: readonly CronJob[], now: Date): string {
  const count = cronJobs.filter((each) => needsAttention(standingOf(each, now))).length;
  return count === 0 ? '' : `${count} of ${cronJobs.length} ${count === 1 ? 'needs' : 'need'} attention\n`;
}

const OF_BATCH = 'There are CronJobs of batch/v1; "kubectl tcj import --help" says how to move them here.\n';

/** False as well where that may not be seen. */
async function hasSources({ given, signal }: Invocation, { client, namespace }: Session): Promise<boolean> {
  const labelSelector = given.get(SELECTOR.name);
  const options = {
    limit: 1,
    signal,
    ...(!showsAllNamespaces(given) && { namespace }),
    ...(labelSelector !== undefined && { labelSelector }),
  };
  try {
    return (await client.list(sources, options)).length > 0;
  } catch (error) {
    if (signal.aborted || messageOf(error) === undefined) throw error;
    return false;
  }
}

/** Wider than `30 2 * * 1-5`. */
const MIN_SCHEDULE = 13;

interface TableOptions {
  readonly now: Date;
  readonly isWide: boolean;
  readonly hasNamespaces: boolean;
  readonly terminal: Terminal;
}

function asTable(cronJobs: readonly CronJob[], { now, isWide, hasNamespaces, terminal }: TableOptions): string {
  const head: readonly Column[] = [
    ...(hasNamespaces ? [{ head: 'NAMESPACE' }] : []),
    ...[
      { head: 'NAME' },
      { head: 'STATE' },
      { head: 'LAST RUN', fit: 'cut' as const, order: 2, min: lastRunWidth(cronJobs, now) },
      { head: 'NEXT' },
    ],
    ...[
      { head: 'SCHEDULE', fit: 'cut' as const, order: 1, min: MIN_SCHEDULE },
      { head: 'TIMEZONE', fit: 'cut' as const, keepsEnds: true },
    ],
    ...(isWide ? [{ head: 'WHY' }] : []),
  ];
  const rows = cronJobs.map((cronJob) => [
    ...(hasNamespaces ? [cronJob.metadata.namespace] : []),
    ...[cronJob.metadata.name, state(cronJob, now, terminal), lastRunText(cronJob, now), nextRunText(cronJob, now)],
    ...[cronJob.spec.schedule, cronJob.spec.timeZone ?? DEFAULT_TIME_ZONE],
    ...(isWide ? [why(cronJob, now).sentence] : []),
  ]);
  return columns(head, rows, isWide ? undefined : terminal.width);
}

function state(cronJob: CronJob, now: Date, terminal: Terminal): Cell {
  const standing = standingOf(cronJob, now);
  return { text: shownStanding(cronJob, now), paint: (text) => painted(text, TONES[standing], terminal) };
}

const TONES: Readonly<Record<Standing, Tone>> = {
  Malformed: 'bad',
  Invalid: 'bad',
  Blocked: 'bad',
  Late: 'bad',
  Overdue: 'bad',
  Paused: 'bad',
  Failed: 'bad',
  Unobserved: 'doubtful',
  Degraded: 'doubtful',
  Suspended: 'doubtful',
  Waiting: 'active',
  Running: 'active',
  OK: 'good',
};

/** Whether it was by hand may be cut; the result and how long ago it was may not. */
function lastRunWidth(cronJobs: readonly CronJob[], now: Date): number {
  return Math.max(...cronJobs.map((each) => (lastRunText(each, now) ?? '').replace(/ \(\w+\)$/, '…').length));
}

function asObject(cronJob: CronJob, now: Date): object {
  const { metadata, spec, status } = cronJob;
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    state: standingOf(cronJob, now),
    suspended: isSuspendedAt(cronJob.spec, now),
    why: why(cronJob, now).sentence,
    schedule: spec.schedule,
    timeZone: spec.timeZone ?? DEFAULT_TIME_ZONE,
    lastRun: status?.lastRun,
    nextScheduleTime: status?.nextScheduleTime,
  };
}
