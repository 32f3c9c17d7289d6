/** Whether a manager works in a namespace: nothing must be suspended for one that does not run. */
import { randomBytes } from 'node:crypto';
import { CronJob } from '../../../api/v1/cronjob-types.ts';
import { CommandError } from '../command.ts';
import { cronJobs } from '../cron-jobs.ts';
import { poll } from '../poll.ts';
import type { Context } from './context.ts';
import type { Plan } from './plan.ts';

const PATIENCE_MS = 20_000;
const LOOK_MS = 250;

/** Makes a suspended CronJob like that of the plan, waits until a manager has looked at it, and deletes it. */
export async function checkManager({ converted }: Plan, { client, clock, signal }: Context): Promise<void> {
  const { namespace } = converted.metadata;
  const name = `tcj-import-check-${randomBytes(4).toString('hex')}`;
  const spec = { ...converted.spec, suspend: true };
  await client.create(CronJob, { ...converted, metadata: { namespace, name }, spec }, { signal });
  try {
    const look = async () => {
      const found = await client.get(cronJobs, { namespace, name }, { signal });
      return found?.status?.observedGeneration;
    };
    const untilMs = clock.monotonicMs() + PATIENCE_MS;
    if ((await poll(look, { clock, signal, everyMs: LOOK_MS, untilMs })) !== undefined) return;
    throw new CommandError(
      `no manager has looked at a new CronJob in the namespace ${namespace} for ${PATIENCE_MS / 1000} s, so nothing was changed; ` +
        'see that one runs, and that it watches this namespace',
    );
  } finally {
    // Also after Ctrl-C.
    await client.delete(cronJobs, { namespace, name });
  }
}
