import { formatKey, integer } from 'controller-runtime';
import { DEFAULT_BACKFILL_LIMIT } from '../../../api/v1/cronjob-defaults.ts';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { MAX_BACKFILL_LIMIT, MAX_LISTED_JOBS } from '../../../api/v1/cronjobrun-types.ts';
import { CLUSTER_FLAGS } from '../cluster-flags.ts';
import { type Command, CommandError, type CommandFlag, type Invocation, UsageError } from '../command.ts';
import { createCronJobRun, reloadCronJobRun } from '../cron-job-runs.ts';
import { getCronJob, runWithSession } from '../cron-jobs.ts';
import { createTimeParser, parseFlag } from '../flag-value.ts';
import { formatObject, RESULT_OUTPUT_FLAG } from '../output.ts';
import { type BackfillOptions, createBackfillRequest } from '../report/backfill.ts';
import { getTimeZone } from '../report/cron-job-schedule.ts';
import { parseLatestTime } from '../report/time-of-day.ts';
import { followBackfill } from '../runs/follow-backfill.ts';
import { createRunContext, TIMEOUT_FLAG, WAIT_FLAG } from '../runs/run-context.ts';
import { DRY_RUN_FLAG } from '../target-cron-jobs.ts';

const FROM_FLAG = { name: 'from', value: 'time', description: 'First scheduled time, such as 2026-10-01 or 02:00.' };
const TO_FLAG = { name: 'to', value: 'time', description: 'End of the range. The range excludes this time.' };
const REVERSE_FLAG = { name: 'reverse', description: 'Start with the newest scheduled time.' };
const MAX_CONCURRENT_FLAG = {
  name: 'max-concurrent',
  value: 'n',
  description: 'Maximum number of active runs',
  default: '1',
};
const LIMIT_FLAG = {
  name: 'limit',
  value: 'n',
  description: 'Start nothing for more than n runs',
  default: String(DEFAULT_BACKFILL_LIMIT),
};
const WAIT_FOR_ALL_FLAG = { ...WAIT_FLAG, description: 'Wait until all runs end.' };

export const backfillCommand: Command = {
  name: 'backfill',
  description: 'Start the runs of past scheduled times. The concurrency policy applies.',
  argument: { name: 'name', description: 'Name of the CronJob.', values: 'cronJobs' },
  flags: [
    ...[FROM_FLAG, TO_FLAG, REVERSE_FLAG, MAX_CONCURRENT_FLAG, LIMIT_FLAG],
    ...[WAIT_FOR_ALL_FLAG, TIMEOUT_FLAG, DRY_RUN_FLAG, RESULT_OUTPUT_FLAG, ...CLUSTER_FLAGS],
  ],
  examples: [
    {
      task: 'Start the runs of a week, and wait until they end',
      args: 'backfill nightly-backup --from 2026-10-01 --to 2026-10-08 --wait',
    },
  ],
  run: runWithSession(async (invocation) => {
    const { flagValues, now } = invocation;
    const context = createRunContext(invocation, [WAIT_FOR_ALL_FLAG]);
    const settings = parseBackfillSettings(flagValues);
    const cronJob = await getCronJob(invocation);
    const start = parseTimeFlag(cronJob, FROM_FLAG, invocation);
    const end = parseTimeFlag(cronJob, TO_FLAG, invocation);
    const request = createBackfillRequest(cronJob, { ...settings, start, end }, now);
    if (request.kind === 'invalid') throw new CommandError(request.message);
    const dryRun = flagValues.has(DRY_RUN_FLAG.name);
    const { spec, predicate } = request;
    const run = await createCronJobRun(cronJob, { purpose: 'backfill', spec, dryRun }, context);
    const suffix = dryRun ? ' (server dry run)' : ` (CronJobRun ${run.metadata.name})`;
    context.terminal.out(`${formatKey(cronJob)} ${predicate}${suffix}\n`);
    const waits = flagValues.has(WAIT_FLAG.name) && !dryRun;
    const code = waits ? await followBackfill(run, cronJob, context) : 0;
    if (context.format !== 'text')
      context.print(formatObject(waits ? await reloadCronJobRun(run, context) : run, context.format));
    return code;
  }),
};

function parseBackfillSettings(flagValues: Invocation['flagValues']): Omit<BackfillOptions, 'start' | 'end'> {
  return {
    order: flagValues.has(REVERSE_FLAG.name) ? 'NewestFirst' : 'OldestFirst',
    maxConcurrentRuns: parseFlag(flagValues, MAX_CONCURRENT_FLAG, integer(1, MAX_LISTED_JOBS)),
    limit: parseFlag(flagValues, LIMIT_FLAG, integer(1, MAX_BACKFILL_LIMIT)),
    excessAdvice: `use a shorter time, or --${LIMIT_FLAG.name} with a number up to ${MAX_BACKFILL_LIMIT}`,
  };
}

function parseTimeFlag(cronJob: CronJob, flag: CommandFlag, { flagValues, now }: Invocation): Date {
  const time = parseFlag(flagValues, flag, createTimeParser(getTimeZone(cronJob), now, parseTimeOrDate));
  if (time === undefined) throw new UsageError(`--${flag.name} is required`);
  return time;
}

/** A date means the start of the day. */
function parseTimeOrDate(text: string, zone: string, now: Date): Date | undefined {
  return parseLatestTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text, zone, now);
}
