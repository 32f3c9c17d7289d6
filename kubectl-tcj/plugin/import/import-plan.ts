/** The first step of an import: converts each source, and checks in a dry run whether the new CronJob can be created. */
import { type Clock, formatKey, isInvalid } from 'controller-runtime';
import { parseTime } from '../../../api/time.ts';
import { CronJob } from '../../../api/v1/cronjob-types.ts';
import { validateCronJob } from '../../../api/v1/cronjob-validation.ts';
import { REVERTING_IMPORT_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { CommandError } from '../command.ts';
import { cronJobs } from '../cron-jobs.ts';
import { formatError } from '../error-message.ts';
import { type Conversion, type ConvertedCronJob, convertFromBatch } from './convert-cron-job.ts';
import type { ImportContext } from './import-context.ts';
import { findManagingTool } from './managing-tool.ts';
import {
  getSourceUid,
  getTargetUid,
  IMPORTED_AS_ANNOTATION,
  isSuspendedForImport,
  type SourceCronJob,
} from './source-cron-job.ts';

export interface ImportPlan extends Conversion {
  readonly source: SourceCronJob;
  /** Whether a user suspended the source before the import. */
  readonly wasSuspended: boolean;
  readonly serverClock: ServerClock;
  /** The new CronJob, if it already exists. */
  readonly target?: CronJob;
}

export function getPlanName({ source }: Pick<ImportPlan, 'source'>): string {
  return formatKey(source);
}

/** Rejects with a CommandError or an ApiError if the source cannot be imported. */
export async function createPlan(
  source: SourceCronJob,
  { client, clock, signal }: ImportContext,
  isForced: boolean,
): Promise<ImportPlan> {
  const wasSuspended = source.spec.suspend === true && !isSuspendedForImport(source);
  const conversion = convertFromBatch(source, wasSuspended);
  const target = await client.get(cronJobs, source.metadata, { signal });
  if (target !== undefined) {
    const serverClock = new ServerClock(clock, target.metadata.creationTimestamp);
    // After the import, only the target has the value of `suspend` that the user chose.
    const importedConversion = convertFromBatch(source, target.spec.suspend);
    return { source, wasSuspended, ...importedConversion, serverClock, target: checkTarget(target, source) };
  }
  if (getTargetUid(source) !== undefined) throw new CommandError(TARGET_DELETED_MESSAGE);
  const tool = findManagingTool(source);
  if (tool !== undefined && !isForced) throw new CommandError(describeManagingTool(tool));
  const dryRunResult = await dryRunCreate(conversion.converted, { client, signal });
  return {
    source,
    wasSuspended,
    ...conversion,
    serverClock: new ServerClock(clock, dryRunResult.metadata.creationTimestamp),
  };
}

/**
 * Creates the CronJob in a dry run. Adds the messages of the operator's own validation to an error, because without webhooks the
 * API server does not explain how to correct the CronJob.
 */
async function dryRunCreate(
  converted: ConvertedCronJob,
  { client, signal }: Pick<ImportContext, 'client' | 'signal'>,
): Promise<CronJob> {
  try {
    return await client.create(CronJob, converted, { dryRun: true, fieldValidation: 'Strict', signal });
  } catch (error) {
    if (!isInvalid(error)) throw error;
    const apiMessage = formatError(error) ?? '';
    const violations = validateCronJob(converted).filter(({ message }) => !apiMessage.includes(message));
    throw new CommandError([apiMessage, ...violations.map(({ field, message }) => `${field}: ${message}`)].join('; '));
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

const TARGET_DELETED_MESSAGE =
  'it was imported before, and the imported CronJob was deleted. To import it again, remove the annotation ' +
  `${IMPORTED_AS_ANNOTATION}. To run it in batch/v1 again, set spec.suspend to false; the newest missed run then starts at once`;

function describeManagingTool(tool: string): string {
  return (
    `it is managed by ${tool}, which would resume it while the new CronJob runs. ` +
    'Use --print and commit the manifests, or remove the CronJob from the tool and use --even-if-managed'
  );
}

/** Estimates the time on the clock of the API server, for comparison with timestamps that the API server set. */
export class ServerClock {
  readonly #clock: Clock;
  readonly #serverTimeMs: number;
  readonly #receivedMs: number;

  /**
   * @param serverTime A timestamp from a response that has just arrived. The clock of the API server cannot show an earlier time,
   * because the API server created the timestamp.
   */
  constructor(clock: Clock, serverTime: string) {
    this.#clock = clock;
    this.#serverTimeMs = (parseTime(serverTime) ?? clock.now()).getTime();
    this.#receivedMs = clock.monotonicMs();
  }

  /** Returns the earliest possible time on the clock of the API server. */
  now(): Date {
    return new Date(this.#serverTimeMs + this.#clock.monotonicMs() - this.#receivedMs);
  }
}
