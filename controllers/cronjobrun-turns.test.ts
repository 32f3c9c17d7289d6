/** Which of several CronJobRuns starts a run, and what stops a run that waits for its turn. */
import { expect, test } from 'vitest';
import { CronJobRunWorld, NAMESPACE } from '../test/support/cron-job-run-world.ts';
import { cronJob } from '../test/support/cron-jobs.ts';
import { cronJobRuns, cronJobs, jobs } from './resources.ts';

test.each(['suspended', 'deleted'] as const)(
  'a CronJobRun that is %s while it waits for its turn starts nothing',
  async (change) => {
    await using world = await CronJobRunWorld.start();
    const { metadata, ...other } = cronJob();
    world.server.put(cronJobs, { ...other, metadata: { namespace: NAMESPACE, name: 'other' } });
    const create = Promise.withResolvers<void>();
    world.server.fail({ verb: 'create', resource: jobs }, { kind: 'hold', until: create.promise });
    for (const name of ['one', 'two']) world.request({ manual: {} }, name);
    await using _ = await world.startManager();
    await world.server.until(({ pendingFaults }) => pendingFaults === 0);
    for (const name of ['one', 'two']) {
      if (change === 'suspended') world.request({ manual: {}, suspend: true }, name);
      else world.server.remove(cronJobRuns, { namespace: NAMESPACE, name });
    }
    // The watch delivers these changes before a later CronJobRun.
    world.request({ manual: {}, cronJobName: 'other' }, 'later');
    await world.untilState('Running', 'later');
    create.resolve();
    await world.server.until(() => world.jobNames.length === 2);
    world.request({ manual: {} }, 'last');
    await world.untilState('Running', 'last');
    expect(world.jobNames).toHaveLength(3);
  },
);
