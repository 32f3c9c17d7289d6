/** CronJobRuns in a scene, without webhooks. */
import { findApiError, type NewObject } from 'controller-runtime';
import { getCondition } from 'controller-runtime/kubernetes';
import { expect } from 'vitest';
import type { Job } from '../../../api/kubernetes.ts';
import { formatTime, parseTime } from '../../../api/time.ts';
import type { CronJobRun, CronJobRunSpec } from '../../../api/v1/cronjobrun-types.ts';
import { API_VERSION, REQUESTED_BY_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { cronJobRuns } from '../../../controllers/resources.ts';
import type { Scene } from '../../support/scene.ts';

/** It is not due during a test. */
export const DAILY = '0 0 * * *';
const NAME = 'again';
const FIRST_DAY = '2026-01-01T00:00:00Z';
const DAY_MS = 86_400_000;

/** The spec as a user writes it, without the values that have a default. */
export type RunManifestSpec = Omit<Partial<CronJobRunSpec>, 'backfill'> & {
  readonly backfill?: Partial<NonNullable<CronJobRunSpec['backfill']>>;
};

/** The slots of a CronJob with the schedule {@link DAILY}, from the first day of 2026, as the API formats them. */
export function dailySlots(count: number): readonly string[] {
  const first = parseTime(FIRST_DAY)?.getTime() ?? Number.NaN;
  return Array.from({ length: count }, (_, day) => formatTime(new Date(first + day * DAY_MS)));
}

/** A backfill of {@link dailySlots}. */
export function backfillDays(count: number, options: RunManifestSpec['backfill'] = {}): RunManifestSpec {
  const endTime = dailySlots(count + 1).at(-1) ?? FIRST_DAY;
  return { backfill: { startTime: FIRST_DAY, endTime, ...options } };
}

export function buildRun(
  { namespace }: Pick<Scene, 'namespace'>,
  spec: object,
  metadata: Readonly<Record<string, unknown>> = {},
): NewObject<CronJobRun> {
  const manifest: unknown = {
    apiVersion: API_VERSION,
    kind: 'CronJobRun',
    metadata: { namespace, name: NAME, ...metadata },
    spec: { cronJobName: 'hello', ...spec },
  };
  return manifest as NewObject<CronJobRun>; // the API server adds the defaults
}

/** Creates a CronJobRun of the CronJob `hello`. */
export async function createRun(scene: Scene, spec: RunManifestSpec, name = NAME): Promise<CronJobRun> {
  return await scene.client.create(cronJobRuns, buildRun(scene, spec, { name }));
}

export async function getRun({ client, namespace }: Scene, name = NAME): Promise<CronJobRun> {
  const found = await client.get(cronJobRuns, { namespace, name });
  if (found === undefined) throw new Error(`no CronJobRun ${name}`);
  return found;
}

/** Resolves when the condition Complete has this reason. */
export async function waitForState(scene: Scene, reason: string, name = NAME): Promise<CronJobRun> {
  return await scene.eventually(async () => {
    const found = await getRun(scene, name);
    expect(getCondition(found.status?.conditions, 'Complete')).toMatchObject({ reason });
    return found;
  });
}

/** Jobs of CronJobRuns. */
export async function listRequestedJobs(scene: Scene): Promise<readonly Job[]> {
  const found = await scene.jobs();
  return found.filter(({ metadata }) => metadata.annotations?.[REQUESTED_BY_ANNOTATION] !== undefined);
}

/** Ends each active Job, until the CronJobRun has ended with this reason. */
export async function finishJobsUntil(scene: Scene, reason: string, name = NAME): Promise<CronJobRun> {
  return await scene.eventually(async () => {
    for (const job of await listRequestedJobs(scene))
      if (job.status?.conditions === undefined) await scene.finish(job, 'Complete');
    const found = await getRun(scene, name);
    expect(getCondition(found.status?.conditions, 'Complete')).toMatchObject({ reason });
    return found;
  });
}

/** Resolves with the message of the API server that refuses the request, or `undefined` if it accepts the request. */
export async function findRefusal(request: Promise<unknown>): Promise<string | undefined> {
  return await request.then(
    () => undefined,
    (error) => findApiError(error)?.message ?? String(error),
  );
}
