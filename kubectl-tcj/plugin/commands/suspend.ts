import { formatTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { OF_MANY } from '../cluster-flags.ts';
import { type Command, type Invocation, UsageError } from '../command.ts';
import { atCluster } from '../cron-jobs.ts';
import { durationUpTo, flagValue, timeIn } from '../flag-value.ts';
import { CHANGED_OUTPUT } from '../output.ts';
import { suspendChange } from '../report/changes.ts';
import { zoneOf } from '../report/schedule-of.ts';
import { nextTime } from '../report/time-of-day.ts';
import { changeEach, DRY_RUN, targetsOf } from '../targets.ts';

const FOR = { name: 'for', value: 'duration', description: 'Suspend for this duration, such as 2h.' };
const UNTIL = { name: 'until', value: 'time', description: 'Suspend until this time, in the zone of the schedule.' };
const MAX_FOR_HOURS = 8784;

export const suspendCommand: Command = {
  name: 'suspend',
  description: 'Suspend CronJobs until a time, or until you resume them. Active runs continue.',
  argument: { name: 'name', description: 'Name of the CronJob (or use -l).', isOptional: true, values: 'cronJobs' },
  flags: [FOR, UNTIL, DRY_RUN, CHANGED_OUTPUT, ...OF_MANY],
  examples: [
    { task: 'Suspend nightly-backup for two hours', line: 'suspend nightly-backup --for 2h' },
    {
      task: 'Suspend all CronJobs with a label until 06:00',
      line: 'suspend -A -l uses=database --until 06:00',
    },
  ],
  run: atCluster(async (invocation) => {
    const untilOf = until(invocation);
    const targets = await targetsOf(invocation);
    // Checked before any change: a time in the past is a usage error.
    const times = new Map(targets.map((cronJob) => [cronJob, untilOf(cronJob)]));
    noteZones([...times.values()], invocation);
    return await changeEach(targets, invocation, (cronJob) =>
      suspendChange(cronJob, times.get(cronJob), invocation.now),
    );
  }),
};

/** Reports the zones, because a time of day is a different instant in each zone. */
function noteZones(times: readonly (Date | undefined)[], { given, terminal }: Invocation): void {
  const instants = [...new Set(times.filter((time) => time !== undefined).map(formatTime))];
  if (instants.length < 2) return;
  terminal.err(
    `--until ${given.get(UNTIL.name)} means ${instants.length} different times, because the time zones of the schedules differ; for one time, use --until ${instants[0]}\n`,
  );
}

/** Returns when to resume each CronJob; `undefined` to keep it suspended until a user resumes it. */
function until({ given, now }: Invocation): (cronJob: CronJob) => Date | undefined {
  if (given.has(FOR.name) && given.has(UNTIL.name)) {
    throw new UsageError('--for and --until are mutually exclusive');
  }
  const spanMs = flagValue(given, FOR, durationUpTo(MAX_FOR_HOURS));
  // Whole seconds, as in the API; rounded up, so that the suspension never ends too early.
  if (spanMs !== undefined) return () => new Date(Math.ceil((now.getTime() + spanMs) / 1000) * 1000);
  return (cronJob) => {
    const time = flagValue(given, UNTIL, timeIn(zoneOf(cronJob), now, nextTime));
    if (time === undefined || time > now) return time;
    throw new UsageError(`--until: ${formatTime(time)} is in the past; use a future time`);
  };
}
