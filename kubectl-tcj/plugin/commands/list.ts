import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { absentNamespace, nothingFound } from '../absence.ts';
import { OF_MANY, showsAllNamespaces } from '../cluster-flags.ts';
import type { ClusterInvocation, Command, Terminal } from '../command.ts';
import { atCluster, manyCronJobs, selected } from '../cron-jobs.ts';
import { sources } from '../import/source.ts';
import { explained } from '../message-of.ts';
import { changedObjects, formatted, OBJECT_FORMATS, outputFlag, outputFormat } from '../output.ts';
import { lastRunText, nextRunText } from '../report/run-texts.ts';
import { zoneOf } from '../report/schedule-of.ts';
import { byStanding, needsAttention, type Standing, shownStanding, standingOf } from '../report/standing.ts';
import { why } from '../report/why.ts';
import { type Cell, type Column, columns } from '../terminal/columns.ts';
import { painted, type Tone } from '../terminal/paint.ts';

const FORMATS = ['wide', 'name', ...OBJECT_FORMATS] as const;

export const listCommand: Command = {
  name: 'list',
  description: 'List CronJobs, worst state first.',
  flags: [outputFlag(FORMATS), ...OF_MANY],
  examples: [
    { task: 'List the CronJobs in all namespaces', line: 'list -A' },
    { task: 'Explain the state of each CronJob', line: 'list -o wide' },
  ],
  run: atCluster(async (invocation) => {
    const { given, terminal, now } = invocation;
    const format = outputFormat(given, FORMATS);
    const cronJobs = (await manyCronJobs(invocation)).toSorted(byStanding(now));
    if (format === 'json' || format === 'yaml') {
      const objects = cronJobs.map((each) => asObject(each, now));
      terminal.out(formatted(objects, format));
      if (cronJobs.length === 0) terminal.err(await absentNamespace(invocation));
    } else if (cronJobs.length === 0) {
      terminal.err(await nothingFound(invocation));
      if (await hasSources(invocation)) terminal.err(IMPORT_HINT);
    } else if (format === 'name') terminal.out(changedObjects(cronJobs, format));
    else {
      terminal.out(asTable(cronJobs, format === 'wide', invocation));
      if (format === 'text' && terminal.width !== undefined) terminal.out(attention(cronJobs, now));
    }
    return 0;
  }),
};

/** Empty when no CronJob needs attention. */
function attention(cronJobs: readonly CronJob[], now: Date): string {
  const count = cronJobs.filter((each) => needsAttention(standingOf(each, now))).length;
  return count === 0 ? '' : `${count} of ${cronJobs.length} CronJobs ${count === 1 ? 'needs' : 'need'} attention\n`;
}

const IMPORT_HINT = 'There are batch/v1 CronJobs; see "kubectl tcj import --help" to move them to this operator.\n';

/** Also false when the user may not list batch/v1 CronJobs. */
async function hasSources(invocation: ClusterInvocation): Promise<boolean> {
  try {
    const found = await invocation.session.client.list(sources, { ...selected(invocation), limit: 1 });
    return found.length > 0;
  } catch (error) {
    explained(error, invocation.signal);
    return false;
  }
}

/** Wider than `30 2 * * 1-5`. */
const MIN_SCHEDULE = 13;

interface CronJobColumn extends Column {
  readonly cell: (cronJob: CronJob) => Cell;
}

function asTable(
  cronJobs: readonly CronJob[],
  isWide: boolean,
  { now, terminal, given }: Pick<ClusterInvocation, 'now' | 'terminal' | 'given'>,
): string {
  const lastRun = (cronJob: CronJob) => lastRunText(cronJob, now);
  // The word `manual` may be cut; the result and its age may not.
  const lastRunWidths = cronJobs.map((each) => (lastRun(each) ?? '').replace(/ \(\w+\)$/, '…').length);
  const namespace: CronJobColumn = { head: 'NAMESPACE', cell: ({ metadata }) => metadata.namespace };
  const table: readonly CronJobColumn[] = [
    ...(showsAllNamespaces(given) ? [namespace] : []),
    { head: 'NAME', cell: ({ metadata }) => metadata.name },
    { head: 'STATE', cell: (cronJob) => state(cronJob, now, terminal) },
    { head: 'LAST RUN', fit: 'cut', order: 2, min: Math.max(...lastRunWidths), cell: lastRun },
    { head: 'NEXT', cell: (cronJob) => nextRunText(cronJob, now) },
    { head: 'SCHEDULE', fit: 'cut', order: 1, min: MIN_SCHEDULE, cell: ({ spec }) => spec.schedule },
    { head: 'TIMEZONE', fit: 'cut', keepsEnds: true, cell: zoneOf },
    ...(isWide ? [{ head: 'WHY', cell: (cronJob: CronJob) => why(cronJob, now).sentence }] : []),
  ];
  const rows = cronJobs.map((cronJob) => table.map(({ cell }) => cell(cronJob)));
  return columns(table, rows, isWide ? undefined : terminal.width);
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

function asObject(cronJob: CronJob, now: Date): object {
  const { metadata, spec, status } = cronJob;
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    state: standingOf(cronJob, now),
    suspended: isSuspendedAt(spec, now),
    why: why(cronJob, now).sentence,
    schedule: spec.schedule,
    timeZone: zoneOf(cronJob),
    lastRun: status?.lastRun,
    nextScheduleTime: status?.nextScheduleTime,
  };
}
