import { OF_MANY } from '../cluster-flags.ts';
import type { Command } from '../command.ts';
import { atCluster } from '../cron-jobs.ts';
import { CHANGED_OUTPUT } from '../output.ts';
import { resumeChange } from '../report/changes.ts';
import { changeEach, DRY_RUN, targetsOf } from '../targets.ts';

const SKIP_MISSED = { name: 'skip-missed', description: 'Starts no run that was missed while suspended.' };

export const resumeCommand: Command = {
  name: 'resume',
  description:
    'Starts runs again, after a suspension or a pause. Of those missed while suspended the newest starts at once, if its deadline allows.',
  argument: { name: 'name', description: 'Name of the CronJob. Or give -l.', isOptional: true, values: 'cronJobs' },
  flags: [SKIP_MISSED, DRY_RUN, CHANGED_OUTPUT, ...OF_MANY],
  examples: [
    { wish: 'go on', line: 'resume nightly-backup' },
    { wish: 'go on with the next run, not with one that was missed', line: 'resume nightly-backup --skip-missed' },
  ],
  run: atCluster(async (invocation) => {
    const skipsMissed = invocation.given.has(SKIP_MISSED.name);
    const targets = await targetsOf(invocation);
    return await changeEach(targets, invocation, (cronJob) => resumeChange(cronJob, skipsMissed, invocation.now));
  }),
};
