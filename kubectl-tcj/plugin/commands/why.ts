import { instant } from 'controller-runtime';
import { formatTime } from '../../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { isSuspendedAt } from '../../../api/v1/suspension.ts';
import { OF_CLUSTER } from '../cluster-flags.ts';
import { type Command, type Invocation, UsageError } from '../command.ts';
import { forSameCluster } from '../command-line.ts';
import { oneCronJob, withSession } from '../cron-jobs.ts';
import { podsSeen } from '../logs/pods-seen.ts';
import { formatted, outputFlag, outputFormat } from '../output.ts';
import type { Answer } from '../report/answer.ts';

import { type Remedy, remedyText } from '../report/remedy.ts';
import { standingOf } from '../report/standing.ts';
import { latestTime, TIME_FORMS } from '../report/time-of-day.ts';
import type { PodsTold } from '../report/told-run.ts';
import { why } from '../report/why.ts';
import { whyAt } from '../report/why-at.ts';
import { oneLine } from '../terminal/texts.ts';
import { widthOf } from '../terminal/width.ts';
import { wrapped } from '../terminal/wrapped.ts';

const AT = {
  name: 'at',
  value: 'time',
  description: 'Why it did or did not run then: the last 02:00 in the zone of its schedule, or 2026-11-23T02:00:00Z.',
  default: '',
};

export const whyCommand: Command = {
  name: 'why',
  description: 'Says what is wrong with a CronJob, or why it did not run.',
  argument: { name: 'name', description: 'Name of the CronJob.', values: 'cronJobs' },
  flags: [AT, outputFlag(), ...OF_CLUSTER],
  examples: [
    { wish: 'what is wrong with it', line: 'why nightly-backup' },
    { wish: "why it did not run at two o'clock", line: 'why nightly-backup --at 02:00' },
  ],
  run: (invocation) =>
    withSession(invocation, async (session) => {
      const { given, terminal, now } = invocation;
      const format = outputFormat(given);
      const cronJob = await oneCronJob(invocation, session);
      const time = askedTime(cronJob, invocation);
      const answerWith = (pods?: PodsTold) =>
        time === undefined ? why(cronJob, now, pods) : whyAt(cronJob, time, { now, pods });
      const { run, ...answer } = answerWith();
      const { sentence, ...found } =
        run === undefined
          ? answer
          : answerWith(await podsSeen(run, cronJob.metadata.namespace, { session, signal: invocation.signal, now }));
      const remedy = sameCluster(found, given);
      terminal.out(
        format === 'json' || format === 'yaml'
          ? formatted(
              {
                ...standing(cronJob, now),
                sentence,
                change: remedyText(remedy),
                ...asked(time),
                at: now.toISOString(),
              },
              format,
            )
          : asText({ sentence, ...remedy }, terminal.width),
      );
      return 0;
    }),
};

/** What is to be done, for the cluster that was asked. */
function sameCluster({ command, ...remedy }: Remedy, given: Invocation['given']): Remedy {
  return command === undefined
    ? remedy
    : { ...remedy, command: { ...command, line: forSameCluster(command.line, given) } };
}

/** With `--at`. */
function askedTime(cronJob: CronJob, { given, now }: Invocation): Date | undefined {
  const text = given.get(AT.name);
  return text === undefined ? undefined : timeIn(text, cronJob, now);
}

function standing(cronJob: CronJob, now: Date): object {
  const { namespace, name } = cronJob.metadata;
  return { namespace, name, state: standingOf(cronJob, now), suspended: isSuspendedAt(cronJob.spec, now) };
}

function asked(time: Date | undefined): object {
  return time === undefined ? {} : { askedTime: formatTime(time) };
}

function timeIn(text: string, { spec }: CronJob, now: Date): Date {
  const ofDay = latestTime(text, spec.timeZone ?? DEFAULT_TIME_ZONE, now);
  if (ofDay !== undefined) return ofDay;
  const parsed = instant(text);
  if (parsed.kind === 'ok') return parsed.value;
  throw new UsageError(`--at: "${text}" is not valid: give ${TIME_FORMS}`);
}

function asText({ sentence, ...remedy }: Omit<Answer, 'run'>, width = Number.POSITIVE_INFINITY): string {
  return `${wrapped(oneLine(sentence), width)}\n${toDo(remedy, width)}`;
}

/** Empty where nothing is to be done. A command line stays in one piece, to be copied. */
function toDo(remedy: Remedy, width: number): string {
  const { change, command } = remedy;
  const text = oneLine(`To do: ${remedyText(remedy)}`);
  if (change === undefined && command === undefined) return '';
  if (change === undefined || command === undefined || widthOf(text) <= width) return `${wrapped(text, width)}\n`;
  return `${wrapped(oneLine(`To do: ${change}:`), width)}\n  ${oneLine(command.line)}\n`;
}
