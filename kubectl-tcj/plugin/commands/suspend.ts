import { instant } from 'controller-runtime';
import { formatTime } from '../../../api/time.ts';
import { DEFAULT_TIME_ZONE } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { OF_MANY } from '../cluster-flags.ts';
import { type Command, type Invocation, UsageError } from '../command.ts';
import { cronJobs, withSession } from '../cron-jobs.ts';
import { durationOf } from '../flag-value.ts';
import { CHANGED_OUTPUT } from '../output.ts';
import { suspendChange } from '../report/changes.ts';
import { nextTime, TIME_FORMS } from '../report/time-of-day.ts';
import { changeEach, DRY_RUN, targetsOf } from '../targets.ts';

const FOR = { name: 'for', value: 'duration', description: 'Until then, such as 2h.', default: '' };
const UNTIL = {
  name: 'until',
  value: 'time',
  description: 'Until 06:00 in its zone, or 2026-11-23T06:00:00Z.',
  default: '',
};
const MAX_FOR_HOURS = 8784;

export const suspendCommand: Command = {
  name: 'suspend',
  description: 'Starts no more runs, until a time or until it is resumed. Active ones go on.',
  argument: { name: 'name', description: 'Name of the CronJob. Or give -l.', isOptional: true, values: 'cronJobs' },
  flags: [FOR, UNTIL, DRY_RUN, CHANGED_OUTPUT, ...OF_MANY],
  examples: [
    { wish: 'for the next two hours', line: 'suspend nightly-backup --for 2h' },
    {
      wish: 'everything with a label, in every namespace, until six',
      line: 'suspend -A -l uses=database --until 06:00',
    },
  ],
  run: (invocation) =>
    withSession(invocation, async ({ client, ...session }) => {
      const { now, signal, given } = invocation;
      const dryRun = given.has(DRY_RUN.name);
      const untilOf = until(invocation);
      const targets = await targetsOf(invocation, { client, ...session });
      // Before any is changed: a time that has passed is an error of the command line.
      const times = new Map(targets.map((cronJob) => [cronJob, untilOf(cronJob)]));
      noteZones([...times.values()], invocation);
      return await changeEach(targets, invocation, async (cronJob) => {
        const time = times.get(cronJob);
        const { body, sentence: said, isRefused } = suspendChange(cronJob, time, now);
        if (body === undefined) return { cronJob, said, isRefused };
        const changed = await client.patch(cronJobs, cronJob.metadata, { kind: 'merge', body }, { dryRun, signal });
        return { cronJob: changed, said };
      });
    }),
};

/** A time of day is another instant in another zone. */
function noteZones(times: readonly (Date | undefined)[], { given, terminal }: Invocation): void {
  const instants = [...new Set(times.flatMap((time) => (time === undefined ? [] : [formatTime(time)])))];
  if (instants.length < 2) return;
  terminal.err(
    `${given.get(UNTIL.name)} is taken in the zone of each schedule: ${instants.length} different times; for one, give it as ${instants[0]}\n`,
  );
}

/** When each is to go on; `undefined` for not by itself. */
function until({ given, now }: Invocation): (cronJob: CronJob) => Date | undefined {
  const [span, text] = [given.get(FOR.name), given.get(UNTIL.name)];
  if (span !== undefined && text !== undefined) throw new UsageError('--for and --until exclude each other; give one');
  if (span !== undefined) {
    const spanMs = durationOf(FOR.name, span, MAX_FOR_HOURS);
    // Whole seconds, as the API has them; rounded up, so that it is never over too early.
    return () => new Date(Math.ceil((now.getTime() + spanMs) / 1000) * 1000);
  }
  if (text === undefined) return () => undefined;
  return ({ spec }) => laterThan(now, nextTime(text, spec.timeZone ?? DEFAULT_TIME_ZONE, now) ?? instantOf(text));
}

function instantOf(text: string): Date {
  const parsed = instant(text);
  if (parsed.kind === 'ok') return parsed.value;
  throw new UsageError(`--until: "${text}" is not valid: give ${TIME_FORMS}`);
}

function laterThan(now: Date, time: Date): Date {
  if (time > now) return time;
  throw new UsageError(`--until: ${formatTime(time)} has passed; give a time that is ahead`);
}
