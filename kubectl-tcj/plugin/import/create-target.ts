/** Creates the CronJob that replaces a source whose runs have stopped, or finds the CronJob that an earlier attempt created. */
import { formatKey } from 'controller-runtime';
import type { Job } from 'controller-runtime/kubernetes';
import { formatTime, isAfter } from '../../../api/time.ts';
import { CronJob } from '../../../api/v1/cronjob-types.ts';
import { TAKES_OVER_FROM_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { CommandError } from '../command.ts';
import { cronJobs } from '../cron-jobs.ts';
import { messageOf } from '../message-of.ts';
import { isPassing } from '../reconnecting.ts';
import type { Context } from './context.ts';
import { convert } from './convert.ts';
import type { Plan } from './plan.ts';
import {
  IMPORTED_AS_ANNOTATION,
  importedFrom,
  jobsOf,
  type SourceCronJob,
  SUSPENDED_ANNOTATION,
  sources,
  suspendedAt,
  takeOverFrom,
} from './source.ts';
import { giveBack } from './suspend.ts';

/** Slightly less than the time before its creation that a CronJob may take over. */
const MAX_TAKE_OVER_MS = 9.5 * 60_000;

/**
 * If the API server refuses the CronJob, the source continues as before. Rejects with a temporary failure unchanged: the next
 * attempt continues from there.
 */
export async function createTarget(
  plan: Plan,
  source: SourceCronJob,
  all: readonly Job[],
  context: Context,
): Promise<CronJob> {
  const from = plan.wasSuspended ? undefined : takesOverFrom(plan, source, all);
  const target = await created(plan, source, from, context);
  await markImported(plan, source, target, context);
  const since =
    from === undefined
      ? ''
      : `: batch/v1 handled scheduled times up to ${formatTime(from)}; later ones run in the new CronJob`;
  context.report.done(formatKey(source), `imported${since}`);
  return target;
}

/** Scheduled times after this one run in the new CronJob. */
function takesOverFrom({ serverClock }: Plan, source: SourceCronJob, all: readonly Job[]): Date {
  const suspended = suspendedAt(source) ?? serverClock.now();
  const wanted = takeOverFrom(source, jobsOf(source, all), suspended);
  const earliest = new Date(serverClock.now().getTime() - MAX_TAKE_OVER_MS);
  return isAfter(wanted, earliest) ? wanted : earliest;
}

async function created(
  { wasSuspended }: Plan,
  source: SourceCronJob,
  from: Date | undefined,
  context: Context,
): Promise<CronJob> {
  const { client, signal } = context;
  // From the current source: a user may have edited it since the plan was made.
  const { converted } = convert(source, wasSuspended);
  const taken = from && { [TAKES_OVER_FROM_ANNOTATION]: formatTime(from) };
  const annotations = { ...converted.metadata.annotations, ...taken };
  try {
    return await client.create(CronJob, { ...converted, metadata: { ...converted.metadata, annotations } }, { signal });
  } catch (error) {
    if (isPassing(error) || signal.aborted) throw error;
    // The request was refused now; an earlier attempt without a response may have created the CronJob.
    const found = await client.get(cronJobs, source.metadata, { signal });
    if (found && importedFrom(found) === source.metadata.uid) return found;
    if (!wasSuspended) await giveBack(source, context);
    throw new CommandError(`${messageOf(error)}. The batch/v1 CronJob continues as before`);
  }
}

async function markImported(
  { wasSuspended }: Plan,
  source: SourceCronJob,
  target: CronJob,
  { client, signal, report }: Context,
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
