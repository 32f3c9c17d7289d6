/** Creates the CronJob that replaces a source whose runs have stopped, or finds the CronJob that an earlier attempt created. */
import { formatKey } from 'controller-runtime';
import type { Job } from 'controller-runtime/kubernetes';
import { formatTime, isAfter } from '../../../api/time.ts';
import { CronJob } from '../../../api/v1/cronjob-types.ts';
import { TAKES_OVER_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { CommandError } from '../command.ts';
import { cronJobs } from '../cron-jobs.ts';
import { formatError } from '../error-message.ts';
import { isTemporary } from '../reconnecting-session.ts';
import type { ImportContext } from './context.ts';
import { convert } from './convert.ts';
import type { ImportPlan } from './plan.ts';
import {
  computeTakeOverTime,
  filterOwnedJobs,
  findSuspensionTime,
  getSourceUid,
  IMPORTED_AS_ANNOTATION,
  type SourceCronJob,
  SUSPENDED_ANNOTATION,
  sources,
} from './source.ts';
import { restoreSource } from './suspend.ts';

/** Slightly less than the time before its creation that a CronJob may take over. */
const MAX_TAKE_OVER_MS = 9.5 * 60_000;

/**
 * If the API server refuses the CronJob, the source continues as before. Rejects with a temporary failure unchanged: the next
 * attempt continues from there.
 */
export async function createTarget(
  plan: ImportPlan,
  source: SourceCronJob,
  all: readonly Job[],
  context: ImportContext,
): Promise<CronJob> {
  const from = plan.wasSuspended ? undefined : chooseTakeOverTime(plan, source, all);
  const target = await createOrFind(plan, source, from, context);
  await markImported(plan, source, target, context);
  const since =
    from === undefined
      ? ''
      : `: batch/v1 handled scheduled times up to ${formatTime(from)}; later ones run in the new CronJob`;
  context.report.done(formatKey(source), `imported${since}`);
  return target;
}

/** Scheduled times after this one run in the new CronJob. */
function chooseTakeOverTime({ serverClock }: ImportPlan, source: SourceCronJob, all: readonly Job[]): Date {
  const suspended = findSuspensionTime(source) ?? serverClock.now();
  const takeOverTime = computeTakeOverTime(source, filterOwnedJobs(source, all), suspended);
  const earliest = new Date(serverClock.now().getTime() - MAX_TAKE_OVER_MS);
  return isAfter(takeOverTime, earliest) ? takeOverTime : earliest;
}

async function createOrFind(
  { wasSuspended }: ImportPlan,
  source: SourceCronJob,
  from: Date | undefined,
  context: ImportContext,
): Promise<CronJob> {
  const { client, signal } = context;
  // From the current source: a user may have edited it since the plan was made.
  const { converted } = convert(source, wasSuspended);
  const takeOverAnnotation = from && { [TAKES_OVER_FROM_ANNOTATION]: formatTime(from) };
  const annotations = { ...converted.metadata.annotations, ...takeOverAnnotation };
  try {
    return await client.create(CronJob, { ...converted, metadata: { ...converted.metadata, annotations } }, { signal });
  } catch (error) {
    if (isTemporary(error) || signal.aborted) throw error;
    // The request was refused now; an earlier attempt without a response may have created the CronJob.
    const found = await client.get(cronJobs, source.metadata, { signal });
    if (found && getSourceUid(found) === source.metadata.uid) return found;
    if (!wasSuspended) await restoreSource(source, context);
    throw new CommandError(`${formatError(error)}. The batch/v1 CronJob continues as before`);
  }
}

async function markImported(
  { wasSuspended }: ImportPlan,
  source: SourceCronJob,
  target: CronJob,
  { client, signal, report }: ImportContext,
): Promise<void> {
  const annotations = { [IMPORTED_AS_ANNOTATION]: target.metadata.uid, [SUSPENDED_ANNOTATION]: null };
  const { spec } = await client.patch(
    sources,
    source.metadata,
    { kind: 'merge', body: { metadata: { annotations } } },
    { signal },
  );
  if (spec.suspend === true || wasSuspended) return;
  report.failed(
    formatKey(source),
    'another client resumed the batch/v1 CronJob during the import, so both CronJobs start runs; suspend one of them',
  );
}
