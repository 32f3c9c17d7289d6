/** The import: plan, check that a manager works, suspend, hand over, delete. Each step can be repeated. */
import { randomBytes } from 'node:crypto';
import { formatKey, sleep } from 'controller-runtime';
import { CronJob } from '../../../api/v1/cronjob-types.ts';
import { CommandError } from '../command.ts';
import { cronJobs } from '../cron-jobs.ts';
import { poll } from '../poll.ts';
import type { ImportContext } from './context.ts';
import { deleteSources } from './delete-sources.ts';
import { handOverAll, listSourcesAndJobs } from './hand-over.ts';
import { listHelmNotes } from './managing-tool.ts';
import { createPlan, getPlanName, type ImportPlan } from './plan.ts';
import { IDLE_MS, type SourceCronJob, sources } from './source.ts';
import { computeSuspendedMs, MAX_SUSPENDED_MS, restoreSource, suspendSource } from './suspend.ts';

export interface ImportOptions {
  readonly keepsSource: boolean;
  /** Maximum wait until each source is deleted, in milliseconds; 0 does not wait. May be infinite. */
  readonly waitMs: number;
  /** Whether to import objects that a tool keeps unchanged. */
  readonly isForced: boolean;
}

export async function importSources(
  found: readonly SourceCronJob[],
  options: ImportOptions,
  context: ImportContext,
): Promise<void> {
  const { report } = context;
  const initialPlans = await report.each(found, formatKey, (each) => createPlan(each, context, options.isForced));
  const plans = await report.each(initialPlans, getPlanName, (each) => catchUp(each, context, options.isForced));
  const [imported, open] = [plans.filter(({ target }) => target), plans.filter(({ target }) => !target)];
  const handedOver = await suspendAndHandOver(open, context);
  for (const { source } of [...imported, ...handedOver]) {
    for (const note of listHelmNotes(source)) report.notify(`${formatKey(source)}: ${note}`);
  }
  if (!options.keepsSource) await deleteSources([...imported, ...handedOver], options.waitMs, context);
}

async function suspendAndHandOver(
  plans: readonly ImportPlan[],
  context: ImportContext,
): Promise<readonly ImportPlan[]> {
  try {
    return await handOverAll(await suspendAll(plans, context), context);
  } catch (error) {
    context.report.notify(
      'interrupted: some batch/v1 CronJobs may be suspended; run the same command again to continue, or add --revert to undo the import',
    );
    throw error;
  }
}

/**
 * A source that another import left suspended for too long is resumed first, so that its controller starts the run that it missed.
 */
async function catchUp(plan: ImportPlan, context: ImportContext, isForced: boolean): Promise<ImportPlan> {
  const { client, clock, signal, report } = context;
  const { source, target } = plan;
  if (target !== undefined || computeSuspendedMs(source, plan) < MAX_SUSPENDED_MS) return plan;
  report.notify(
    `${formatKey(source)}: an interrupted import left the batch/v1 CronJob suspended too long; resuming it first, so that it starts the run that it missed`,
  );
  await restoreSource(source, context);
  await sleep(clock, IDLE_MS, signal);
  signal.throwIfAborted();
  return await createPlan((await client.get(sources, source.metadata, { signal })) ?? source, context, isForced);
}

async function suspendAll(plans: readonly ImportPlan[], context: ImportContext): Promise<readonly ImportPlan[]> {
  const { report } = context;
  const one = new Map(plans.map((plan) => [plan.source.metadata.namespace, plan]));
  const checked = await report.each(
    [...one],
    ([namespace]) => namespace,
    async ([namespace, plan]) => {
      // A user without the right to list the Jobs must get the error before any source is suspended.
      await listSourcesAndJobs(namespace, context);
      await checkManager(plan, context);
      return namespace;
    },
  );
  const ready = plans.filter(({ source }) => checked.includes(source.metadata.namespace));
  const suspended = await report.each(ready, getPlanName, async (plan) => {
    const source = await suspendSource(plan, context);
    return { ...plan, source };
  });
  const newlySuspended = suspended.filter(({ wasSuspended }) => !wasSuspended);
  if (newlySuspended.length > 0) {
    report.notify(`suspended in batch/v1: ${newlySuspended.length}; waiting at least ${IDLE_MS / 1000} s until idle`);
  }
  return suspended;
}

const MANAGER_TIMEOUT_MS = 20_000;
const POLL_INTERVAL_MS = 250;

/**
 * Checks that a manager works before any source is suspended. Creates a suspended CronJob like the one in the plan, waits until a
 * manager has reconciled it, and deletes it.
 */
async function checkManager({ converted }: ImportPlan, { client, clock, signal }: ImportContext): Promise<void> {
  const { namespace } = converted.metadata;
  const name = `tcj-import-check-${randomBytes(4).toString('hex')}`;
  const spec = { ...converted.spec, suspend: true };
  await client.create(CronJob, { ...converted, metadata: { namespace, name }, spec }, { signal });
  try {
    const readGeneration = async () => {
      const found = await client.get(cronJobs, { namespace, name }, { signal });
      return found?.status?.observedGeneration;
    };
    const deadlineMs = clock.monotonicMs() + MANAGER_TIMEOUT_MS;
    if ((await poll(readGeneration, { clock, signal, intervalMs: POLL_INTERVAL_MS, deadlineMs })) !== undefined) return;
    throw new CommandError(
      `no manager reconciled a new CronJob in namespace ${namespace} within ${MANAGER_TIMEOUT_MS / 1000} s, so nothing was changed; ` +
        'check that the manager runs and watches this namespace',
    );
  } finally {
    // Also after Ctrl-C.
    await client.delete(cronJobs, { namespace, name });
  }
}
