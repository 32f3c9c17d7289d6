/** Imports batch/v1 CronJobs in five steps: plan, check the manager, suspend, hand over and delete. Each step is idempotent. */
import { randomBytes } from 'node:crypto';
import { formatKey, isNotFound, sleep } from 'controller-runtime';
import { CronJob } from '../../../api/v1/cronjob-types.ts';
import { CommandError } from '../command.ts';
import { cronJobs } from '../cron-jobs.ts';
import { poll } from '../poll.ts';
import { deleteSources } from './delete-sources.ts';
import { handOverSources, listSourcesAndJobs } from './hand-over.ts';
import type { ImportContext } from './import-context.ts';
import { createPlan, getPlanName, type ImportPlan } from './import-plan.ts';
import { listHelmNotes } from './managing-tool.ts';
import { MIN_IDLE_MS, type SourceCronJob, sources } from './source-cron-job.ts';
import {
  CONTINUE_ADVICE,
  computeSuspendedMs,
  MAX_SUSPENDED_MS,
  restoreSource,
  suspendSource,
} from './suspend-source.ts';

export interface ImportOptions {
  readonly shouldKeepSource: boolean;
  /** The maximum time to wait for successful runs, in milliseconds. 0 means that the import does not wait. */
  readonly waitMs: number;
  /** Whether to import CronJobs that a tool such as Argo CD manages. */
  readonly isForced: boolean;
}

export async function importSources(
  sourceCronJobs: readonly SourceCronJob[],
  options: ImportOptions,
  context: ImportContext,
): Promise<void> {
  const { report } = context;
  const initialPlans = await report.runAll(sourceCronJobs, formatKey, (each) =>
    createPlan(each, context, options.isForced),
  );
  const plans = await report.runAll(initialPlans, getPlanName, (each) =>
    resumeStaleSource(each, context, options.isForced),
  );
  const plansWithTarget = plans.filter(({ target }) => target);
  const plansWithoutTarget = plans.filter(({ target }) => !target);
  const importedPlans = [...plansWithTarget, ...(await suspendAndHandOver(plansWithoutTarget, context))];
  for (const { source } of importedPlans) {
    for (const note of listHelmNotes(source)) report.notify(`${formatKey(source)}: ${note}`);
  }
  if (!options.shouldKeepSource) await deleteSources(importedPlans, options.waitMs, context);
}

async function suspendAndHandOver(
  plans: readonly ImportPlan[],
  context: ImportContext,
): Promise<readonly ImportPlan[]> {
  try {
    return await handOverSources(await suspendSources(plans, context), context);
  } catch (error) {
    context.report.notify(`interrupted: some batch/v1 CronJobs may be suspended; ${CONTINUE_ADVICE}`);
    throw error;
  }
}

/**
 * Resumes a source that an interrupted import left suspended for too long, so that batch/v1 starts the run that the source missed.
 */
async function resumeStaleSource(plan: ImportPlan, context: ImportContext, isForced: boolean): Promise<ImportPlan> {
  const { client, clock, signal, report } = context;
  const { source, target } = plan;
  if (target !== undefined || computeSuspendedMs(source, plan) < MAX_SUSPENDED_MS) return plan;
  report.notify(
    `${formatKey(source)}: an interrupted import left the batch/v1 CronJob suspended too long; resuming it first, so that it starts the run that it missed`,
  );
  await restoreSource(source, context);
  await sleep(clock, MIN_IDLE_MS, signal);
  signal.throwIfAborted();
  return await createPlan((await client.get(sources, source.metadata, { signal })) ?? source, context, isForced);
}

async function suspendSources(plans: readonly ImportPlan[], context: ImportContext): Promise<readonly ImportPlan[]> {
  const { report } = context;
  const planByNamespace = new Map(plans.map((plan) => [plan.source.metadata.namespace, plan]));
  const checkedNamespaces = await report.runAll(
    [...planByNamespace],
    ([namespace]) => namespace,
    async ([namespace, plan]) => {
      // Without the permission to list Jobs, the import must fail before it suspends a source.
      await listSourcesAndJobs(namespace, context);
      await checkManager(plan, context);
      return namespace;
    },
  );
  const checkedPlans = plans.filter(({ source }) => checkedNamespaces.includes(source.metadata.namespace));
  const suspendedPlans = await report.runAll(checkedPlans, getPlanName, async (plan) => {
    const source = await suspendSource(plan, context);
    return { ...plan, source };
  });
  const newlySuspendedPlans = suspendedPlans.filter(({ wasSuspended }) => !wasSuspended);
  if (newlySuspendedPlans.length > 0) {
    report.notify(
      `suspended in batch/v1: ${newlySuspendedPlans.length}; waiting at least ${MIN_IDLE_MS / 1000} s until idle`,
    );
  }
  return suspendedPlans;
}

const MANAGER_TIMEOUT_MS = 20_000;
const POLL_INTERVAL_MS = 250;

/** Checks that a manager reconciles a suspended copy of the new CronJob, before the import suspends a source. Deletes the copy. */
async function checkManager({ converted }: ImportPlan, context: ImportContext): Promise<void> {
  const { client, clock, report, signal } = context;
  const { namespace } = converted.metadata;
  const name = `tcj-import-check-${randomBytes(4).toString('hex')}`;
  const spec = { ...converted.spec, suspend: true };
  try {
    await client.create(CronJob, { ...converted, metadata: { namespace, name }, spec }, { signal });
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
    // The request has no signal, because it must also be sent after Ctrl-C, and also if the response to the create was lost.
    await client.delete(cronJobs, { namespace, name }).catch((error: unknown) => {
      if (!isNotFound(error)) report.notify(`could not delete the suspended CronJob ${namespace}/${name}; delete it`);
    });
  }
}
