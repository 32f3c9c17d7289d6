/** Fills a cluster as it is after some days: CronJobs, and finished Jobs that they own. */
import type { LiveClient, Transport } from 'controller-runtime';
import { pathOf } from 'controller-runtime/kubernetes';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND } from '../../api/v1/groupversion.ts';
import { slotJob } from '../../controllers/cronjob/new-job.ts';
import { cronJobs, jobs } from '../../controllers/resources.ts';

const NAMESPACE = 'default';
const HOUR_MS = 3_600_000;
/** Of a CronJob's Jobs, each fourth has failed: so the default history limits prune none of four. */
const FAILED_EACH = 4;
const VARIABLES = 10;
const WORKERS = 64;

export interface Counts {
  readonly cronJobs: number;
  /** Shared out evenly among the CronJobs. */
  readonly jobs: number;
}

/** Creates them, as fast as the API server takes them; `onProgress` is told how many objects there are. */
export async function createWithHistory(
  { client, transport }: { readonly client: LiveClient; readonly transport: Transport },
  counts: Counts,
  onProgress: (created: number) => void,
): Promise<void> {
  const each = Math.floor(counts.jobs / counts.cronJobs);
  const hour = Math.floor(Date.now() / HOUR_MS);
  let created = 0;
  await concurrently(counts.cronJobs, async (index) => {
    const cronJob = await client.create(cronJobs, cronJobOf(index));
    onProgress(++created);
    for (let age = each; age > 0; age--) {
      const slot = new Date((hour - age) * HOUR_MS);
      const job = slotJob(cronJob, slot);
      await client.create(jobs, job);
      await finish(transport, job.metadata.name, slot, age % FAILED_EACH === 0);
      onProgress(++created);
    }
  });
}

function cronJobOf(index: number): CronJob {
  const env = Array.from({ length: VARIABLES }, (_, n) => ({ name: `SETTING_${n}`, value: `value-${n}-of-${index}` }));
  const container = {
    name: 'main',
    image: `registry.example/batch/report:${index}`,
    command: ['/report', '--all'],
    env,
  };
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: { name: `bench-${index}`, namespace: NAMESPACE },
    spec: {
      schedule: '0 0 1 1 *',
      jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
    },
  } as unknown as CronJob; // the server fills in the defaults
}

async function finish(transport: Transport, name: string, slot: Date, hasFailed: boolean): Promise<void> {
  const at = (seconds: number) => `${new Date(slot.getTime() + seconds * 1000).toISOString().slice(0, 19)}Z`;
  const condition = (type: string, reason: string) => {
    const time = at(30);
    return { type, status: 'True', reason, message: 'As it was told', lastProbeTime: time, lastTransitionTime: time };
  };
  const status = hasFailed
    ? {
        failed: 1,
        conditions: [condition('FailureTarget', 'BackoffLimitExceeded'), condition('Failed', 'BackoffLimitExceeded')],
      }
    : {
        succeeded: 1,
        completionTime: at(30),
        conditions: [
          condition('SuccessCriteriaMet', 'CompletionsReached'),
          condition('Complete', 'CompletionsReached'),
        ],
      };
  await transport.request({
    method: 'PATCH',
    path: pathOf(jobs, NAMESPACE, name, 'status'),
    contentType: 'application/merge-patch+json',
    body: { status: { startTime: at(1), ready: 0, terminating: 0, uncountedTerminatedPods: {}, ...status } },
  });
}

/** Calls `work` for 0 to `count` - 1, as many at once as the transport sends. */
async function concurrently(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}
