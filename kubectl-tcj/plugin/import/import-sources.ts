/** The import: plan, see that a manager works, suspend, hand over, delete. Each step can be begun again. */
import { keyOf, sleep } from 'controller-runtime';
import { checkManager } from './check-manager.ts';
import type { Context } from './context.ts';
import { deleteSources } from './finish.ts';
import { contentOf, handOverAll } from './hand-over.ts';
import { helmNotes } from './kept-by.ts';
import { nameOfPlan, type Plan, planOf } from './plan.ts';
import { type SourceCronJob, STILL_MS, sources } from './source.ts';
import { giveBack, MAX_SUSPENDED_MS, suspend, suspendedForMs } from './suspend.ts';

export interface ImportOptions {
  readonly keepsSource: boolean;
  /** For so long it waits until each source is deleted. Milliseconds; 0 does not wait, and may be infinite. */
  readonly waitMs: number;
  /** Also what a tool keeps as it is. */
  readonly isForced: boolean;
}

export async function importSources(
  found: readonly SourceCronJob[],
  options: ImportOptions,
  context: Context,
): Promise<void> {
  const { report } = context;
  const planned = await report.each(found, keyOf, (each) => planOf(each, context, options.isForced));
  const plans = await report.each(planned, nameOfPlan, (each) => caughtUp(each, context, options.isForced));
  const [imported, open] = [plans.filter(({ target }) => target), plans.filter(({ target }) => !target)];
  const handed = await handOver(open, context);
  for (const { source } of [...imported, ...handed]) {
    for (const note of helmNotes(source)) report.waits(`${keyOf(source)}: ${note}`);
  }
  if (!options.keepsSource) await deleteSources([...imported, ...handed], options.waitMs, context);
}

async function handOver(plans: readonly Plan[], context: Context): Promise<readonly Plan[]> {
  try {
    return await handOverAll(await suspendAll(plans, context), context);
  } catch (error) {
    context.report.waits(
      'interrupted: some CronJobs of batch/v1 may be suspended; run the same command again to go on, or with --revert to undo it',
    );
    throw error;
  }
}

/** What another import left suspended for too long is resumed first, so that its controller starts what it missed. */
async function caughtUp(plan: Plan, context: Context, isForced: boolean): Promise<Plan> {
  const { client, clock, signal, report } = context;
  const { source, target } = plan;
  if (target !== undefined || suspendedForMs(source, plan) < MAX_SUSPENDED_MS) return plan;
  report.waits(
    `${keyOf(source)}: an import that was interrupted left it suspended for long; it is resumed to start what it missed`,
  );
  await giveBack(source, context);
  await sleep(clock, STILL_MS, signal);
  signal.throwIfAborted();
  return await planOf((await client.get(sources, source.metadata, { signal })) ?? source, context, isForced);
}

async function suspendAll(plans: readonly Plan[], context: Context): Promise<readonly Plan[]> {
  const { report } = context;
  const one = [...Map.groupBy(plans, ({ source }) => source.metadata.namespace).values()].map(([first]) => first);
  const checked = await report.each(
    one.filter((plan) => plan !== undefined),
    ({ source }) => source.metadata.namespace,
    async (plan) => {
      const { namespace } = plan.source.metadata;
      // Whoever may not list the Jobs must learn it before anything is suspended.
      await contentOf(namespace, context);
      await checkManager(plan, context);
      return namespace;
    },
  );
  const ready = plans.filter(({ source }) => checked.includes(source.metadata.namespace));
  const suspended = await report.each(
    ready,
    ({ source }) => keyOf(source),
    async (plan) => ({
      ...plan,
      source: await suspend(plan, context),
    }),
  );
  const moving = suspended.filter(({ wasSuspended }) => !wasSuspended);
  if (moving.length > 0) {
    report.waits(
      `${moving.length} suspended in batch/v1; waiting until they stand still, which takes ${STILL_MS / 1000} s and more`,
    );
  }
  return suspended;
}
