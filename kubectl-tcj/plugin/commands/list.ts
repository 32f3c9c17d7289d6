import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { hasAllNamespacesFlag, SELECTION_FLAGS } from '../cluster-flags.ts';
import type { ClusterInvocation, Command, Terminal } from '../command.ts';
import { listCronJobs, runWithSession, toListOptions } from '../cron-jobs.ts';
import { formatErrorOrThrow } from '../error-message.ts';
import { sources } from '../import/source-cron-job.ts';
import { describeEmptyList, describeMissingNamespace } from '../not-found.ts';
import { createOutputFlag, formatObjects, formatValue, OBJECT_FORMATS, parseOutputFormat } from '../output.ts';
import { formatScheduleCell, getTimeZone, pickSchedules } from '../report/cron-job-schedule.ts';
import {
  type CronJobState,
  compareByState,
  computeState,
  formatState,
  needsAttention,
} from '../report/cron-job-state.ts';
import { formatLastRun, formatNextRun } from '../report/run-texts.ts';
import { explainCronJob } from '../report/why.ts';
import { type Cell, type Column, formatColumns } from '../terminal/columns.ts';
import { paintText, type Tone } from '../terminal/paint-text.ts';

const OUTPUT_FORMATS = ['wide', 'name', ...OBJECT_FORMATS] as const;

export const listCommand: Command = {
  name: 'list',
  description: 'List CronJobs, worst state first.',
  flags: [createOutputFlag(OUTPUT_FORMATS), ...SELECTION_FLAGS],
  examples: [
    { task: 'List the CronJobs in all namespaces', args: 'list -A' },
    { task: 'Explain the state of each CronJob', args: 'list -o wide' },
  ],
  run: runWithSession(async (invocation) => {
    const { flagValues, terminal, now } = invocation;
    const format = parseOutputFormat(flagValues, OUTPUT_FORMATS);
    const cronJobs = (await listCronJobs(invocation)).toSorted(compareByState(now));
    if (format === 'json' || format === 'yaml') {
      const objects = cronJobs.map((each) => toJsonObject(each, now));
      terminal.out(formatValue(objects, format));
      if (cronJobs.length === 0) terminal.err(await describeMissingNamespace(invocation));
    } else if (cronJobs.length === 0) {
      terminal.err(await describeEmptyList(invocation));
      if (await hasBatchCronJobs(invocation)) terminal.err(IMPORT_HINT);
    } else if (format === 'name') terminal.out(formatObjects(cronJobs, format));
    else {
      terminal.out(formatTable(cronJobs, format === 'wide', invocation));
      if (format === 'text' && terminal.width !== undefined) terminal.out(formatNeedsAttentionCount(cronJobs, now));
    }
    return 0;
  }),
};

/** Returns an empty string if no CronJob needs attention. */
function formatNeedsAttentionCount(cronJobs: readonly CronJob[], now: Date): string {
  const count = cronJobs.filter((each) => needsAttention(computeState(each, now))).length;
  return count === 0 ? '' : `${count} of ${cronJobs.length} CronJobs ${count === 1 ? 'needs' : 'need'} attention\n`;
}

const IMPORT_HINT = 'There are batch/v1 CronJobs; see "kubectl tcj import --help" to move them to this operator.\n';

/** Returns false if the user may not list batch/v1 CronJobs. */
async function hasBatchCronJobs(invocation: ClusterInvocation): Promise<boolean> {
  try {
    const found = await invocation.session.client.list(sources, { ...toListOptions(invocation), limit: 1 });
    return found.length > 0;
  } catch (error) {
    formatErrorOrThrow(error, invocation.signal);
    return false;
  }
}

/** The minimum width of the column SCHEDULE, in which `30 2 * * 1-5` fits. */
const MIN_SCHEDULE_WIDTH = 13;

interface CronJobColumn extends Column {
  readonly formatCell: (cronJob: CronJob) => Cell;
}

function formatTable(
  cronJobs: readonly CronJob[],
  isWide: boolean,
  { now, terminal, flagValues }: Pick<ClusterInvocation, 'now' | 'terminal' | 'flagValues'>,
): string {
  const formatLastRunCell = (cronJob: CronJob) => formatLastRun(cronJob, now);
  // The column must be wide enough for the text before the mark `(manual)`.
  const lastRunWidths = cronJobs.map((each) => (formatLastRunCell(each) ?? '').replace(/ \(\w+\)$/, '…').length);
  const namespace: CronJobColumn = { header: 'NAMESPACE', formatCell: ({ metadata }) => metadata.namespace };
  const columns: readonly CronJobColumn[] = [
    ...(hasAllNamespacesFlag(flagValues) ? [namespace] : []),
    { header: 'NAME', formatCell: ({ metadata }) => metadata.name },
    { header: 'STATE', formatCell: (cronJob) => formatStateCell(cronJob, now, terminal) },
    {
      header: 'LAST RUN',
      fit: 'cut',
      shrinkOrder: 2,
      minWidth: Math.max(...lastRunWidths),
      formatCell: formatLastRunCell,
    },
    { header: 'NEXT', formatCell: (cronJob) => formatNextRun(cronJob, now) },
    {
      header: 'SCHEDULE',
      fit: 'cut',
      shrinkOrder: 1,
      minWidth: MIN_SCHEDULE_WIDTH,
      formatCell: formatScheduleCell,
    },
    { header: 'TIMEZONE', fit: 'cut', shouldKeepEnds: true, formatCell: getTimeZone },
    ...(isWide ? [{ header: 'WHY', formatCell: (cronJob: CronJob) => explainCronJob(cronJob, now).sentence }] : []),
  ];
  const rows = cronJobs.map((cronJob) => columns.map(({ formatCell }) => formatCell(cronJob)));
  return formatColumns(columns, rows, isWide ? undefined : terminal.width);
}

function formatStateCell(cronJob: CronJob, now: Date, terminal: Terminal): Cell {
  const state = computeState(cronJob, now);
  return { text: formatState(cronJob, now), paint: (text) => paintText(text, TONE_BY_STATE[state], terminal) };
}

const TONE_BY_STATE: Readonly<Record<CronJobState, Tone>> = {
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

function toJsonObject(cronJob: CronJob, now: Date): object {
  const { metadata, spec, status } = cronJob;
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    state: computeState(cronJob, now),
    suspended: isSuspendedAt(spec, now),
    why: explainCronJob(cronJob, now).sentence,
    ...pickSchedules(cronJob),
    timeZone: getTimeZone(cronJob),
    lastRun: status?.lastRun,
    nextScheduleTime: status?.nextScheduleTime,
  };
}
