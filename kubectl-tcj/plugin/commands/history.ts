import { formatTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import type { RecentRun } from '../../../api/v1/recent-lines.ts';
import { OF_CLUSTER } from '../cluster-flags.ts';
import type { Command, Invocation, Terminal } from '../command.ts';
import { atCluster, oneCronJob } from '../cron-jobs.ts';
import { formatted, OBJECT_FORMATS, outputFlag, outputFormat } from '../output.ts';
import { reasonText, timeOf } from '../report/sentences.ts';
import { type Entry, type Timeline, timelineOf, timeOfRun } from '../report/timeline.ts';
import { whySkipped } from '../report/why-skipped.ts';
import { type Cell, type Column, columns } from '../terminal/columns.ts';
import { painted, type Tone } from '../terminal/paint.ts';
import { SHOWN_TIME_WIDTH, shownDuration } from '../terminal/times.ts';

export const historyCommand: Command = {
  name: 'history',
  description: 'Show the past runs and skipped times of a CronJob, newest first.',
  argument: { name: 'name', description: 'Name of the CronJob.', values: 'cronJobs' },
  flags: [outputFlag(OBJECT_FORMATS), ...OF_CLUSTER],
  examples: [{ task: 'Show the past runs of nightly-backup', line: 'history nightly-backup' }],
  run: atCluster(async (invocation) => {
    const format = outputFormat(invocation.given, OBJECT_FORMATS);
    const cronJob = await oneCronJob(invocation);
    const timeline = timelineOf(cronJob);
    invocation.terminal.out(
      format === 'text' ? asText(cronJob, timeline, invocation) : formatted(timeline.entries.map(asObject), format),
    );
    return 0;
  }),
};

type Shown = Pick<Invocation, 'now' | 'terminal'>;

function asText(cronJob: CronJob, { entries, knownFrom }: Timeline, shown: Shown): string {
  if (entries.length === 0) return 'It has not run yet.\n';
  const table = columns(
    HEAD,
    entries.map((entry) => [timeOf(cronJob, entry.at), ...cellsOf(cronJob, entry, shown)]),
    shown.terminal.width,
  );
  return knownFrom === undefined
    ? table
    : `${table}The status does not list runs before ${timeOf(cronJob, knownFrom)}.\n`;
}

const HEAD: readonly Column[] = [
  { head: 'TIME', fit: 'cut', min: SHOWN_TIME_WIDTH },
  ...['RESULT', 'DURATION', 'DELAY', 'JOB'].map((head) => ({ head })),
  { head: 'DETAILS', fit: 'prose' },
];

const TONES: Readonly<Record<RecentRun['result'] | 'Skipped', Tone>> = {
  Failed: 'bad',
  Skipped: 'doubtful',
  Replaced: 'doubtful',
  Unknown: 'doubtful',
  Running: 'active',
  Succeeded: 'good',
};

function result(text: keyof typeof TONES, terminal: Terminal): Cell {
  return { text, paint: (plain) => painted(plain, TONES[text], terminal) };
}

function cellsOf(cronJob: CronJob, entry: Entry, { now, terminal }: Shown): readonly Cell[] {
  if (entry.kind === 'Skip') {
    const { count, firstTime, reason } = entry.skip;
    const others =
      count === 1 ? '' : ` (${count > 100 ? 'more than 100' : count} times, since ${timeOf(cronJob, firstTime)})`;
    return [result('Skipped', terminal), '-', '-', '-', `${reason}: ${whySkipped(entry.skip).cause}${others}`];
  }
  const { run } = entry;
  const { createdTime, startTime = createdTime, completionTime, trigger, jobName, reason, message } = run;
  const took = (completionTime ?? now).getTime() - startTime.getTime();
  const late = createdTime.getTime() - timeOfRun(run).getTime();
  const details = [trigger === 'Schedule' ? '' : trigger, reasonText(reason, message)];
  return [
    result(run.result, terminal),
    run.completionTime || run.result === 'Running' ? shownDuration(took) : '-',
    late === 0 ? '-' : shownDuration(late),
    jobName,
    details.filter((text) => text !== '').join(', ') || '-',
  ];
}

function asObject(entry: Entry): object {
  if (entry.kind === 'Run') return { kind: 'Run', ...entry.run };
  const { firstTime, lastTime, count, reason } = entry.skip;
  return { kind: 'Skip', firstTime: formatTime(firstTime), lastTime: formatTime(lastTime), count, reason };
}
