import { SELECTION_FLAGS } from '../cluster-flags.ts';
import type { Command } from '../command.ts';
import { runWithSession } from '../cron-jobs.ts';
import { RESULT_OUTPUT_FLAG } from '../output.ts';
import { createResumeChange } from '../report/cron-job-changes.ts';
import { changeCronJobs, DRY_RUN_FLAG, findTargets } from '../target-cron-jobs.ts';

const SKIP_MISSED_FLAG = { name: 'skip-missed', description: 'Do not start the missed run.' };

export const resumeCommand: Command = {
  name: 'resume',
  description:
    'Resume suspended or paused CronJobs. The newest run that was missed during the suspension starts at once, if its deadline allows.',
  argument: { name: 'name', description: 'Name of the CronJob (or use -l).', isOptional: true, values: 'cronJobs' },
  flags: [SKIP_MISSED_FLAG, DRY_RUN_FLAG, RESULT_OUTPUT_FLAG, ...SELECTION_FLAGS],
  examples: [
    { task: 'Resume nightly-backup', args: 'resume nightly-backup' },
    { task: 'Resume nightly-backup without the missed run', args: 'resume nightly-backup --skip-missed' },
  ],
  run: runWithSession(async (invocation) => {
    const shouldSkipMissed = invocation.flagValues.has(SKIP_MISSED_FLAG.name);
    const targets = await findTargets(invocation);
    return await changeCronJobs(targets, invocation, (cronJob) =>
      createResumeChange(cronJob, shouldSkipMissed, invocation.now),
    );
  }),
};
