import { formatTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { RecentRun } from '../../../api/v1/recent-lines.ts';
import { CLUSTER_FLAGS } from '../cluster-flags.ts';
import type { Command, Invocation, Terminal } from '../command.ts';
import { getCronJob, runWithSession } from '../cron-jobs.ts';
import { createOutputFlag, formatValue, OBJECT_FORMATS, parseOutputFormat } from '../output.ts';
import { explainSkip } from '../report/explain-skip.ts';
import { formatLocalTime, formatReason, getRequestedSlot } from '../report/sentences.ts';
import { buildTimeline, getRunTime, type Timeline, type TimelineEntry } from '../report/timeline.ts';
import { type Creators, findCreators } from '../runs/creators.ts';
import { type Cell, type Column, formatColumns } from '../terminal/columns.ts';
import { formatDuration, ZONED_TIME_WIDTH } from '../terminal/format-time.ts';
import { paintText, type Tone } from '../terminal/paint-text.ts';

export const historyCommand: Command = {
  name: 'history',
  description: 'Show the past runs and skipped times of a CronJob, newest first.',
  argument: { name: 'name', description: 'Name of the CronJob.', values: 'cronJobs' },
  flags: [createOutputFlag(OBJECT_FORMATS), ...CLUSTER_FLAGS],
  examples: [{ task: 'Show the past runs of nightly-backup', args: 'history nightly-backup' }],
  epilogue:
    'If a CronJobRun requested a run, DETAILS shows the creator of the CronJobRun, as the webhook recorded it. For proof, use the audit log of the API server.',
  run: runWithSession(async (invocation) => {
    const format = parseOutputFormat(invocation.flagValues, OBJECT_FORMATS);
    const cronJob = await getCronJob(invocation);
    const timeline = buildTimeline(cronJob);
    const creators = await findCreators(cronJob, invocation);
    invocation.terminal.out(
      format === 'text'
        ? formatHistory(cronJob, timeline, { ...invocation, creators })
        : formatValue(
            timeline.entries.map((entry) => toJsonObject(entry, creators)),
            format,
          ),
    );
    return 0;
  }),
};

interface HistoryContext extends Pick<Invocation, 'now' | 'terminal'> {
  readonly creators: Creators;
}

function formatHistory(cronJob: CronJob, { entries, completeSince }: Timeline, context: HistoryContext): string {
  if (entries.length === 0) return 'The CronJob has not run yet.\n';
  const table = formatColumns(
    COLUMNS,
    entries.map((entry) => [formatLocalTime(cronJob, entry.time), ...formatCells(cronJob, entry, context)]),
    context.terminal.width,
  );
  return completeSince === undefined
    ? table
    : `${table}The status does not list runs before ${formatLocalTime(cronJob, completeSince)}.\n`;
}

const COLUMNS: readonly Column[] = [
  { header: 'TIME', fit: 'cut', minWidth: ZONED_TIME_WIDTH },
  ...['RESULT', 'DURATION', 'DELAY', 'JOB'].map((header) => ({ header })),
  { header: 'DETAILS', fit: 'prose' },
];

const TONE_BY_RESULT: Readonly<Record<RecentRun['result'] | 'Skipped', Tone>> = {
  Failed: 'bad',
  Skipped: 'doubtful',
  Replaced: 'doubtful',
  Unknown: 'doubtful',
  Running: 'active',
  Succeeded: 'good',
};

function formatResult(text: keyof typeof TONE_BY_RESULT, terminal: Terminal): Cell {
  return { text, paint: (plain) => paintText(plain, TONE_BY_RESULT[text], terminal) };
}

function formatCells(
  cronJob: CronJob,
  entry: TimelineEntry,
  { now, terminal, creators }: HistoryContext,
): readonly Cell[] {
  if (entry.kind === 'Skip') {
    const { count, firstTime, reason } = entry.skip;
    const repetition =
      count === 1
        ? ''
        : ` (${count > 100 ? 'more than 100' : count} times, since ${formatLocalTime(cronJob, firstTime)})`;
    return [
      formatResult('Skipped', terminal),
      '-',
      '-',
      '-',
      `${reason}: ${explainSkip(entry.skip).cause}${repetition}`,
    ];
  }
  const { run } = entry;
  const { createdTime, startTime = createdTime, completionTime, jobName, reason, message } = run;
  const durationMs = (completionTime ?? now).getTime() - startTime.getTime();
  const delayMs = createdTime.getTime() - getRunTime(run).getTime();
  const details = [formatTrigger(cronJob, run, creators), formatReason(reason, message)];
  return [
    formatResult(run.result, terminal),
    run.completionTime || run.result === 'Running' ? formatDuration(durationMs) : '-',
    delayMs === 0 ? '-' : formatDuration(delayMs),
    jobName,
    details.filter((text) => text !== '').join(', ') || '-',
  ];
}

/** Returns a text such as `Manual by backup-run-1a2b3c4d (alice)`. Returns an empty string for a run of the schedule. */
function formatTrigger(cronJob: CronJob, run: RecentRun, creators: Creators): string {
  const { trigger, requestedBy, jobName } = run;
  if (trigger === 'Schedule') return '';
  const slot = getRequestedSlot(run);
  const creator = creators.get(jobName);
  return [
    trigger,
    slot && `of ${formatLocalTime(cronJob, slot)}`,
    requestedBy && `by ${requestedBy}`,
    creator && `(${creator})`,
  ]
    .filter((text) => text)
    .join(' ');
}

function toJsonObject(entry: TimelineEntry, creators: Creators): object {
  if (entry.kind === 'Run') {
    const requestedTime = getRequestedSlot(entry.run);
    const createdBy = creators.get(entry.run.jobName);
    return { kind: 'Run', ...entry.run, ...(requestedTime && { requestedTime }), ...(createdBy && { createdBy }) };
  }
  const { firstTime, lastTime, count, reason } = entry.skip;
  return { kind: 'Skip', firstTime: formatTime(firstTime), lastTime: formatTime(lastTime), count, reason };
}
