import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { RESUME_ANNOTATION } from '../../api/v1/groupversion.ts';
import { OF_MANY } from '../cluster-flags.ts';
import type { Command } from '../command.ts';
import { cronJobs, withSession } from '../cron-jobs.ts';
import { changeEach, targetsOf } from '../targets.ts';

export const resumeCommand: Command = {
  name: 'resume',
  description:
    'Starts runs again, after a suspension or a pause. Scheduled times that were skipped meanwhile do not run.',
  argument: { name: 'name', description: 'Name of the CronJob. Or give -l.', isOptional: true },
  flags: OF_MANY,
  examples: [{ wish: 'go on', line: 'resume nightly-backup' }],
  run: (invocation) =>
    withSession(invocation, async (session) => {
      const { now, signal } = invocation;
      return await changeEach(await targetsOf(invocation, session), invocation, async (cronJob) => {
        const body = { ...lifted(cronJob), ...asked(cronJob, now) };
        if (Object.keys(body).length === 0) return 'is neither suspended nor paused';
        await session.client.patch(cronJobs, cronJob.metadata, { kind: 'merge', body }, { signal });
        return 'resumed';
      });
    }),
};

function lifted({ spec }: CronJob): object {
  if (!spec.suspend && spec.suspendUntil === undefined) return {};
  return { spec: { suspend: false, suspendUntil: null } };
}

/** The controller takes each new value of the annotation as a wish. */
function asked({ status }: CronJob, now: Date): object {
  return status?.paused ? { metadata: { annotations: { [RESUME_ANNOTATION]: now.toISOString() } } } : {};
}
