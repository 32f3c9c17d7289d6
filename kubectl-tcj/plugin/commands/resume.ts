import { OF_MANY } from '../cluster-flags.ts';
import type { Command } from '../command.ts';
import { atCluster } from '../cron-jobs.ts';
import { CHANGED_OUTPUT } from '../output.ts';
import { resumeChange } from '../report/changes.ts';
import { changeEach, DRY_RUN, targetsOf } from '../targets.ts';

const SKIP_MISSED = { name: 'skip-missed', description: 'Do not start the run missed during the suspension.' };

export const resumeCommand: Command = {
  name: 'resume',
  description:
    'Resume suspended or paused CronJobs. The newest run missed during the suspension starts at once, if its deadline allows.',
  argument: { name: 'name', description: 'Name of the CronJob (or use -l).', isOptional: true, values: 'cronJobs' },
  flags: [SKIP_MISSED, DRY_RUN, CHANGED_OUTPUT, ...OF_MANY],
  examples: [
    { task: 'Resume nightly-backup', line: 'resume nightly-backup' },
    { task: 'Resume nightly-backup with the next scheduled run', line: 'resume nightly-backup --skip-missed' },
  ],
  run: atCluster(async (invocation) => {
    const skipsMissed = invocation.given.has(SKIP_MISSED.name);
    const targets = await targetsOf(invocation);
    return await changeEach(targets, invocation, (cronJob) => resumeChange(cronJob, skipsMissed, invocation.now));
  }),
};
