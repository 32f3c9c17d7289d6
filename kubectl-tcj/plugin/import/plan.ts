/** The first step: computes the CronJob for each source, and whether it can be created. Changes nothing. */
import { type Clock, formatKey, isInvalid } from 'controller-runtime';
import { parseTime } from '../../../api/time.ts';
import { CronJob } from '../../../api/v1/cronjob-types.ts';
import { validateCronJob } from '../../../api/v1/cronjob-validation.ts';
import { REVERTING_IMPORT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { CommandError } from '../command.ts';
import { cronJobs } from '../cron-jobs.ts';
import { formatError } from '../error-message.ts';
import type { ImportContext } from './context.ts';
import { type Conversion, type ConvertedCronJob, convert } from './convert.ts';
import { findManagingTool } from './managing-tool.ts';
import {
  getSourceUid,
  getTargetUid,
  IMPORTED_AS_ANNOTATION,
  isSuspendedForImport,
  type SourceCronJob,
} from './source.ts';

export interface ImportPlan extends Conversion<ConvertedCronJob> {
  readonly source: SourceCronJob;
  /** Whether the source was suspended before the import. */
  readonly wasSuspended: boolean;
  readonly serverClock: ServerClock;
  /** Our CronJob, if it already exists. */
  readonly target?: CronJob;
}

export function getPlanName({ source }: Pick<ImportPlan, 'source'>): string {
  return formatKey(source);
}

/** Rejects with a CommandError or an ApiError when the source cannot be imported. */
export async function createPlan(
  source: SourceCronJob,
  { client, clock, signal }: ImportContext,
  isForced: boolean,
): Promise<ImportPlan> {
  const wasSuspended = source.spec.suspend === true && !isSuspendedForImport(source);
  const conversion = convert(source, wasSuspended);
  const target = await client.get(cronJobs, source.metadata, { signal });
  if (target !== undefined) {
    const serverClock = new ServerClock(clock, target.metadata.creationTimestamp);
    // The source is suspended only for the import.
    const asImported = convert(source, target.spec.suspend);
    return { source, wasSuspended, ...asImported, serverClock, target: checkTarget(target, source) };
  }
  if (getTargetUid(source) !== undefined) throw new CommandError(TARGET_IS_GONE);
  const tool = findManagingTool(source);
  if (tool !== undefined && !isForced) throw new CommandError(describeManagement(tool));
  const dryRunResult = await tryToCreate(conversion.converted, { client, signal });
  return {
    source,
    wasSuspended,
    ...conversion,
    serverClock: new ServerClock(clock, dryRunResult.metadata.creationTimestamp),
  };
}

/**
 * Creates the CronJob as a dry run. Adds our own messages to an error, because without webhooks the messages of the API server do
 * not include a fix.
 */
async function tryToCreate(
  converted: ConvertedCronJob,
  { client, signal }: Pick<ImportContext, 'client' | 'signal'>,
): Promise<CronJob> {
  try {
    return await client.create(CronJob, converted, { dryRun: true, fieldValidation: 'Strict', signal });
  } catch (error) {
    if (!isInvalid(error)) throw error;
    const refusal = formatError(error) ?? '';
    const more = validateCronJob(converted).filter(({ message }) => !refusal.includes(message));
    throw new CommandError([refusal, ...more.map(({ field, message }) => `${field}: ${message}`)].join('; '));
  }
}

function checkTarget(target: CronJob, { metadata: { uid } }: SourceCronJob): CronJob {
  if (getSourceUid(target) !== uid) {
    throw new CommandError(
      'a CronJob of this operator has this name and was not imported from it; rename or delete one of them',
    );
  }
  if (target.metadata.annotations?.[REVERTING_IMPORT_ANNOTATION] !== undefined) {
    throw new CommandError('a revert of its import is in progress; finish it first, with --revert');
  }
  return target;
}

const TARGET_IS_GONE =
  'it was imported before, and the imported CronJob was deleted. To import it again, remove the annotation ' +
  `${IMPORTED_AS_ANNOTATION}. To run it in batch/v1 again, set spec.suspend to false; the newest missed run then starts at once`;

function describeManagement(tool: string): string {
  return (
    `it is managed by ${tool}, which would resume it while the new CronJob runs. ` +
    'Use --print and commit the manifests, or stop the management first and use --even-if-managed'
  );
}

/**
 * The clock of the API server: only this clock compares with times that the API server set. A user who continues an import may have
 * another clock.
 */
export class ServerClock {
  readonly #clock: Clock;
  readonly #serverMs: number;
  readonly #seenMs: number;

  /** @param dated A time that the server set in a response that has just arrived: its clock is not earlier. */
  constructor(clock: Clock, dated: string) {
    this.#clock = clock;
    this.#serverMs = (parseTime(dated) ?? clock.now()).getTime();
    this.#seenMs = clock.monotonicMs();
  }

  /** The earliest possible time. */
  now(): Date {
    return new Date(this.#serverMs + this.#clock.monotonicMs() - this.#seenMs);
  }
}
