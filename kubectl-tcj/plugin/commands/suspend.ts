import { formatTime } from '../../../api/time.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { SELECTION_FLAGS } from '../cluster-flags.ts';
import { type Command, type Invocation, UsageError } from '../command.ts';
import { runWithSession } from '../cron-jobs.ts';
import { createDurationParser, createTimeParser, parseFlag } from '../flag-value.ts';
import { RESULT_OUTPUT_FLAG } from '../output.ts';
import { createSuspendChange } from '../report/cron-job-changes.ts';
import { getTimeZone } from '../report/cron-job-schedule.ts';
import { parseNextTime } from '../report/time-of-day.ts';
import { changeCronJobs, DRY_RUN_FLAG, findTargets } from '../target-cron-jobs.ts';

const FOR_FLAG = { name: 'for', value: 'duration', description: 'Suspend for this duration, such as 2h.' };
const UNTIL_FLAG = {
  name: 'until',
  value: 'time',
  description: 'Suspend until this time, in the zone of the schedule.',
};
const MAX_SUSPENSION_HOURS = 8784;

export const suspendCommand: Command = {
  name: 'suspend',
  description: 'Suspend CronJobs until a time, or until you resume them. Active runs continue.',
  argument: { name: 'name', description: 'Name of the CronJob (or use -l).', isOptional: true, values: 'cronJobs' },
  flags: [FOR_FLAG, UNTIL_FLAG, DRY_RUN_FLAG, RESULT_OUTPUT_FLAG, ...SELECTION_FLAGS],
  examples: [
    { task: 'Suspend nightly-backup for two hours', args: 'suspend nightly-backup --for 2h' },
    {
      task: 'Suspend all CronJobs with a label until 06:00',
      args: 'suspend -A -l uses=database --until 06:00',
    },
  ],
  run: runWithSession(async (invocation) => {
    const parseUntil = createUntilParser(invocation);
    const targets = await findTargets(invocation);
    // All times are parsed before the first change, because a time in the past is a usage error.
    const untilTimes = new Map(targets.map((cronJob) => [cronJob, parseUntil(cronJob)]));
    warnAboutDifferentTimes([...untilTimes.values()], invocation);
    return await changeCronJobs(targets, invocation, (cronJob) =>
      createSuspendChange(cronJob, untilTimes.get(cronJob), invocation.now),
    );
  }),
};

/** Warns if `--until` means different instants, because the schedules have different time zones. */
function warnAboutDifferentTimes(times: readonly (Date | undefined)[], { flagValues, terminal }: Invocation): void {
  const instants = [...new Set(times.filter((time) => time !== undefined).map(formatTime))];
  if (instants.length < 2) return;
  terminal.err(
    `--until ${flagValues.get(UNTIL_FLAG.name)} means ${instants.length} different times, because the time zones of the schedules differ; for one time, use --until ${instants[0]}\n`,
  );
}

/** Returns a function that computes the end of the suspension. The end is `undefined` if a user must resume the CronJob. */
function createUntilParser({ flagValues, now }: Invocation): (cronJob: CronJob) => Date | undefined {
  if (flagValues.has(FOR_FLAG.name) && flagValues.has(UNTIL_FLAG.name)) {
    throw new UsageError('--for and --until are mutually exclusive');
  }
  const durationMs = parseFlag(flagValues, FOR_FLAG, createDurationParser(MAX_SUSPENSION_HOURS));
  // The API supports only whole seconds. The time is rounded up, so that the suspension does not end too early.
  if (durationMs !== undefined) return () => new Date(Math.ceil((now.getTime() + durationMs) / 1000) * 1000);
  return (cronJob) => {
    const time = parseFlag(flagValues, UNTIL_FLAG, createTimeParser(getTimeZone(cronJob), now, parseNextTime));
    if (time === undefined || time > now) return time;
    throw new UsageError(`--until: ${formatTime(time)} is in the past; use a future time`);
  };
}
