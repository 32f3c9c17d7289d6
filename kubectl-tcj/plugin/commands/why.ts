import { formatTime } from '../../../api/time.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { CLUSTER_FLAGS } from '../cluster-flags.ts';
import type { Command } from '../command.ts';
import { addClusterFlags } from '../command-line.ts';
import { getCronJob, runWithSession } from '../cron-jobs.ts';
import { createTimeParser, parseFlag } from '../flag-value.ts';
import { inspectPods } from '../logs/inspect-pods.ts';
import { createOutputFlag, formatValue, OBJECT_FORMATS, parseOutputFormat } from '../output.ts';
import { getTimeZone } from '../report/cron-job-schedule.ts';
import { computeState } from '../report/cron-job-state.ts';
import type { PodReport } from '../report/explanation.ts';
import { formatRemedy, type Remedy } from '../report/remedy.ts';
import { joinSentences } from '../report/sentences.ts';
import { describeSkippedTime, parseLatestTime } from '../report/time-of-day.ts';
import { explainCronJob } from '../report/why.ts';
import { explainTime } from '../report/why-at.ts';
import { measureWidth } from '../terminal/measure-width.ts';
import { toOneLine, wrapText } from '../terminal/wrap-text.ts';

const AT_FLAG = {
  name: 'at',
  value: 'time',
  description: 'Scheduled time to explain: 02:00 (the last 02:00 in the zone of the schedule) or 2026-11-23T02:00:00Z.',
};

export const whyCommand: Command = {
  name: 'why',
  description: 'Explain what is wrong with a CronJob, or why it did not run.',
  argument: { name: 'name', description: 'Name of the CronJob.', values: 'cronJobs' },
  flags: [AT_FLAG, createOutputFlag(OBJECT_FORMATS), ...CLUSTER_FLAGS],
  examples: [
    { task: 'Explain the state of nightly-backup', args: 'why nightly-backup' },
    { task: 'Explain why nightly-backup did not run at 02:00', args: 'why nightly-backup --at 02:00' },
  ],
  run: runWithSession(async (invocation) => {
    const { flagValues, terminal, now } = invocation;
    const format = parseOutputFormat(flagValues, OBJECT_FORMATS);
    const cronJob = await getCronJob(invocation);
    const { namespace, name } = cronJob.metadata;
    const time = parseFlag(flagValues, AT_FLAG, createTimeParser(getTimeZone(cronJob), now, parseLatestTime));
    const explain = (podReport?: PodReport) =>
      time === undefined
        ? explainCronJob(cronJob, now, podReport)
        : explainTime(cronJob, time, { now, podReport: podReport });
    const { run } = explain();
    const explanation = explain(run && (await inspectPods(run, namespace, invocation)));
    const { change, command } = explanation;
    const skippedTimeSentence = describeSkippedTime(flagValues.get(AT_FLAG.name) ?? '', getTimeZone(cronJob));
    const sentence = joinSentences(skippedTimeSentence, explanation.sentence);
    const remedy: Remedy = {
      ...(change !== undefined && { change }),
      ...(command && { command: { ...command, commandLine: addClusterFlags(command.commandLine, invocation) } }),
    };
    if (format === 'text') {
      terminal.out(`${wrapText(toOneLine(sentence), terminal.width)}\n${formatNextStep(remedy, terminal.width)}`);
      return 0;
    }
    const object = {
      ...{ namespace, name, state: computeState(cronJob, now), suspended: isSuspendedAt(cronJob.spec, now) },
      ...{ sentence, change: formatRemedy(remedy) },
      ...(time && { askedTime: formatTime(time) }),
      at: now.toISOString(),
    };
    terminal.out(formatValue(object, format));
    return 0;
  }),
};

/** Formats the remedy. A command line is not wrapped, so that a user can copy it. */
function formatNextStep(remedy: Remedy, width = Number.POSITIVE_INFINITY): string {
  const { change, command } = remedy;
  const remedyText = formatRemedy(remedy);
  if (remedyText === undefined) return '';
  const text = toOneLine(`To do: ${remedyText}`);
  if (change === undefined || command === undefined || measureWidth(text) <= width) return `${wrapText(text, width)}\n`;
  return `${wrapText(toOneLine(`To do: ${change}:`), width)}\n  ${toOneLine(command.commandLine)}\n`;
}
