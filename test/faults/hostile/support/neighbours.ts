/** Healthy CronJobs beside hostile ones: each slot must run once. */
import type { LiveClient } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import type { Job } from '../../../../api/kubernetes.ts';
import type { CronJob } from '../../../../api/v1/cronjob-types.ts';
import { SCHEDULED_AT_ANNOTATION } from '../../../../api/v1/groupversion.ts';
import { parseRecentSkip } from '../../../../api/v1/recent-lines.ts';
import { cronJobs, jobs } from '../../../../controllers/resources.ts';
import { cronJob } from '../../../support/cron-jobs.ts';

const PERIOD_SECONDS = 5;
const NAME = 'neighbour';

interface Accounted {
  readonly runs: number;
  readonly superseded: number;
  readonly maxLateSeconds: number;
}

export class Neighbours {
  readonly #client: LiveClient;
  readonly #namespaces: readonly string[];

  private constructor(client: LiveClient, namespaces: readonly string[]) {
    this.#client = client;
    this.#namespaces = namespaces;
  }

  /** One in each of the namespaces. */
  static async create(client: LiveClient, namespaces: readonly string[]): Promise<Neighbours> {
    const { spec } = cronJob({ schedule: `@every ${PERIOD_SECONDS}s`, recentRunsLimit: 50 });
    for (const namespace of namespaces) await createCronJob(client, { namespace, name: NAME }, spec);
    return new Neighbours(client, namespaces);
  }

  /** Resolves once each has run so many slots more than now. */
  async haveRunMore(count: number): Promise<void> {
    const before = await Promise.all(this.#namespaces.map(async (each) => (await this.#slots(each)).length));
    await eventually(
      async () => {
        for (const [index, namespace] of this.#namespaces.entries()) {
          const more = (await this.#slots(namespace)).length - (before[index] ?? 0);
          if (more < count) throw new Error(`${namespace}: ${more} runs more, not ${count}`);
        }
      },
      { timeoutMs: 300_000, intervalMs: 500 },
    );
  }

  /**
   * Throws when a slot has no Job, up to the newest run that the status records; Jobs of one slot would have one name. On a machine
   * that is too slow for it, a slot is passed over for the next one, and the status says so: then that is its answer.
   */
  async check(): Promise<Accounted> {
    let [runs, superseded, maxLateSeconds] = [0, 0, 0];
    for (const namespace of this.#namespaces) {
      const { status = {} } = (await this.#client.get(cronJobs, { namespace, name: NAME }))!;
      const found = await this.#jobs(namespace);
      const [since, last] = [status.effectiveSchedule?.since, status.lastScheduleTime].map(secondsOf) as [
        number,
        number,
      ];
      const ran = slotsOf(found).filter((slot) => slot <= last);
      const skipped = (status.recentSkips ?? []).flatMap(slotsOfSkip);
      const answered = [...ran, ...skipped].toSorted((a, b) => a - b);
      const wanted = range(since + PERIOD_SECONDS, last);
      if (answered.join() !== wanted.join())
        throw new Error(`${namespace} answered ${answered.join()}, not ${wanted.join()}`);
      runs += ran.length;
      superseded += skipped.length;
      for (const job of found) maxLateSeconds = Math.max(maxLateSeconds, lateSeconds(job));
    }
    return { runs, superseded, maxLateSeconds };
  }

  async #slots(namespace: string): Promise<readonly number[]> {
    return slotsOf(await this.#jobs(namespace));
  }

  async #jobs(namespace: string): Promise<readonly Job[]> {
    const all = await this.#client.list(jobs, { namespace });
    return all.filter(({ metadata }) => metadata.ownerReferences?.some(({ name }) => name === NAME));
  }
}

export async function createCronJob(
  client: LiveClient,
  metadata: { readonly namespace: string; readonly name: string },
  spec: CronJob['spec'],
): Promise<CronJob> {
  const { apiVersion, kind } = cronJob();
  return await client.create(cronJobs, { apiVersion, kind, metadata, spec });
}

/** Every slot from the first to the last. */
function range(first: number, last: number): readonly number[] {
  return Array.from({ length: (last - first) / PERIOD_SECONDS + 1 }, (_, index) => first + index * PERIOD_SECONDS);
}

function slotsOfSkip(line: string): readonly number[] {
  const skip = parseRecentSkip(line);
  if (skip?.reason !== 'Superseded') throw new Error(`a neighbour has skipped: ${line}`);
  return range(skip.firstTime.getTime() / 1000, skip.lastTime.getTime() / 1000);
}

function secondsOf(time: string | undefined): number {
  return Date.parse(time ?? '') / 1000;
}

function slotsOf(found: readonly Job[]): readonly number[] {
  return found.map((job) => slotSeconds(job)).toSorted((a, b) => a - b);
}

function slotSeconds({ metadata }: Job): number {
  return Date.parse(metadata.annotations?.[SCHEDULED_AT_ANNOTATION] ?? '') / 1000;
}

function lateSeconds(job: Job): number {
  return Date.parse(job.metadata.creationTimestamp) / 1000 - slotSeconds(job);
}
