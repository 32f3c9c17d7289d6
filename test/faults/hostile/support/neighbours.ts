/** Healthy CronJobs beside hostile ones: each slot must run once. */
import type { LiveClient } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import type { Job } from '../../../../api/kubernetes.ts';
import type { CronJob } from '../../../../api/v1/cronjob-types.ts';
import { SCHEDULED_AT_ANNOTATION } from '../../../../api/v1/groupversion.ts';
import { cronJobs, jobs } from '../../../../controllers/resources.ts';
import { cronJob } from '../../../support/cron-jobs.ts';

const PERIOD_SECONDS = 5;
const NAME = 'neighbour';

export class Neighbours {
  readonly #client: LiveClient;
  readonly #namespaces: readonly string[];

  private constructor(client: LiveClient, namespaces: readonly string[]) {
    this.#client = client;
    this.#namespaces = namespaces;
  }

  /** One in each of the namespaces. */
  static async create(client: LiveClient, namespaces: readonly string[]): Promise<Neighbours> {
    const { spec } = cronJob({ schedule: `@every ${PERIOD_SECONDS}s` });
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
      { timeoutMs: 120_000, intervalMs: 500 },
    );
  }

  /** Throws when a slot up to the newest run has no Job. Two have not one name. @returns How many runs there are, and the latest start. */
  async check(): Promise<{ readonly runs: number; readonly maxLateSeconds: number }> {
    let [runs, maxLateSeconds] = [0, 0];
    for (const namespace of this.#namespaces) {
      const found = await this.#jobs(namespace);
      const slots = slotsOf(found);
      const { metadata, status } = (await this.#client.get(cronJobs, { namespace, name: NAME }))!;
      const first = Date.parse(status?.effectiveSchedule?.since ?? metadata.creationTimestamp) / 1000;
      const wanted = slots.map((_, index) => first + (index + 1) * PERIOD_SECONDS);
      if (slots.join() !== wanted.join()) throw new Error(`${namespace} ran ${slots.join()}, not ${wanted.join()}`);
      if (status?.recentSkips !== undefined) throw new Error(`${namespace}: ${status.recentSkips.join()}`);
      runs += slots.length;
      for (const job of found) maxLateSeconds = Math.max(maxLateSeconds, lateSeconds(job));
    }
    return { runs, maxLateSeconds };
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

function slotsOf(found: readonly Job[]): readonly number[] {
  return found.map((job) => slotSeconds(job)).toSorted((a, b) => a - b);
}

function slotSeconds({ metadata }: Job): number {
  return Date.parse(metadata.annotations?.[SCHEDULED_AT_ANNOTATION] ?? '') / 1000;
}

function lateSeconds(job: Job): number {
  return Date.parse(job.metadata.creationTimestamp) / 1000 - slotSeconds(job);
}
