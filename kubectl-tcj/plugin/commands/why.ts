import { formatTime } from '../../../api/time.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { OF_CLUSTER } from '../cluster-flags.ts';
import type { Command } from '../command.ts';
import { forSameCluster } from '../command-line.ts';
import { atCluster, oneCronJob } from '../cron-jobs.ts';
import { flagValue, timeIn } from '../flag-value.ts';
import { podsSeen } from '../logs/pods-seen.ts';
import { formatted, OBJECT_FORMATS, outputFlag, outputFormat } from '../output.ts';
import type { PodsTold } from '../report/answer.ts';
import { type Remedy, remedyText } from '../report/remedy.ts';
import { zoneOf } from '../report/schedule-of.ts';
import { standingOf } from '../report/standing.ts';
import { latestTime } from '../report/time-of-day.ts';
import { why } from '../report/why.ts';
import { whyAt } from '../report/why-at.ts';
import { oneLine, wrapped } from '../terminal/texts.ts';
import { widthOf } from '../terminal/width.ts';

const AT = {
  name: 'at',
  value: 'time',
  description:
    'Explain this time instead: 02:00 (the most recent one, in the zone of the schedule) or 2026-11-23T02:00:00Z.',
};

export const whyCommand: Command = {
  name: 'why',
  description: 'Explain what is wrong with a CronJob, or why it did not run.',
  argument: { name: 'name', description: 'Name of the CronJob.', values: 'cronJobs' },
  flags: [AT, outputFlag(OBJECT_FORMATS), ...OF_CLUSTER],
  examples: [
    { task: 'Explain the state of nightly-backup', line: 'why nightly-backup' },
    { task: 'Explain why nightly-backup did not run at 02:00', line: 'why nightly-backup --at 02:00' },
  ],
  run: atCluster(async (invocation) => {
    const { given, terminal, now } = invocation;
    const format = outputFormat(given, OBJECT_FORMATS);
    const cronJob = await oneCronJob(invocation);
    const { namespace, name } = cronJob.metadata;
    const time = flagValue(given, AT, timeIn(zoneOf(cronJob), now, latestTime));
    const answerWith = (pods?: PodsTold) =>
      time === undefined ? why(cronJob, now, pods) : whyAt(cronJob, time, { now, pods });
    const { run } = answerWith();
    const { sentence, change, command } = answerWith(run && (await podsSeen(run, namespace, invocation)));
    const remedy: Remedy = {
      ...(change !== undefined && { change }),
      ...(command && { command: { ...command, line: forSameCluster(command.line, given) } }),
    };
    if (format === 'text') {
      terminal.out(`${wrapped(oneLine(sentence), terminal.width)}\n${toDo(remedy, terminal.width)}`);
      return 0;
    }
    const object = {
      ...{ namespace, name, state: standingOf(cronJob, now), suspended: isSuspendedAt(cronJob.spec, now) },
      ...{ sentence, change: remedyText(remedy) },
      ...(time && { askedTime: formatTime(time) }),
      at: now.toISOString(),
    };
    terminal.out(formatted(object, format));
    return 0;
  }),
};

/** Empty without a remedy. A command line is not wrapped, so that a user can copy it. */
function toDo(remedy: Remedy, width = Number.POSITIVE_INFINITY): string {
  const { change, command } = remedy;
  const words = remedyText(remedy);
  if (words === undefined) return '';
  const text = oneLine(`To do: ${words}`);
  if (change === undefined || command === undefined || widthOf(text) <= width) return `${wrapped(text, width)}\n`;
  return `${wrapped(oneLine(`To do: ${change}:`), width)}\n  ${oneLine(command.line)}\n`;
}
