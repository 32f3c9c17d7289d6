/** The measured drivers: this operator, Kubernetes' own controller, and the API server without a controller. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { KubernetesObject, Resource } from 'controller-runtime';
import { batch, resourcePath } from 'controller-runtime/kubernetes';
import { cronJobs } from '../../../controllers/resources.ts';
import { parseFinalStage } from '../../../hack/image/dockerfile.ts';

export const DRIVER_NAMES = ['ours', 'kubernetes', 'raw'] as const;
export type DriverName = (typeof DRIVER_NAMES)[number];

/** Program that replaces a controller. `burst`: raw-client.ts; the other scenarios: plain-reader.mjs. */
export type RawWork = 'burst' | 'watch' | 'list';

export interface CommandOptions {
  /** Path. */
  readonly controllerManager: string;
  readonly kubeconfig: string;
  readonly probePort: number;
  readonly rawWork: RawWork;
  /** When CronJobs are due, if at all. */
  readonly due: Date | undefined;
}

/** A program that creates Jobs from CronJobs. */
export interface Driver {
  readonly name: DriverName;
  readonly title: string;
  /** Its kind of CronJob. */
  readonly cronJobs: Resource<KubernetesObject>;
  /** The program and its arguments. */
  readonly command: (options: CommandOptions) => readonly [string, ...string[]];
  /** Log text that shows that its caches are in sync. `undefined`: use its /readyz. */
  readonly inSyncLog: RegExp | undefined;
}

const resolveFile = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The environment and the start command of the image. */
const { config: IMAGE } = parseFinalStage(readFileSync(resolveFile('../../../Dockerfile'), 'utf8'));

export const DRIVERS: Readonly<Record<DriverName, Driver>> = {
  ours: {
    name: 'ours',
    title: 'this operator',
    cronJobs: toUntyped(cronJobs),
    command: ({ probePort }) => [
      'env',
      ...IMAGE.Env,
      process.execPath,
      ...(IMAGE.Entrypoint ?? []).slice(1, -1),
      resolveFile('../../../dist/manager.mjs'),
      `--health-probe-bind-address=127.0.0.1:${probePort}`,
    ],
    inSyncLog: undefined,
  },
  kubernetes: {
    name: 'kubernetes',
    title: 'Kubernetes',
    cronJobs: toUntyped(batch.v1.cronJobs),
    command: ({ controllerManager, kubeconfig }) => [
      controllerManager,
      `--kubeconfig=${kubeconfig}`,
      '--controllers=cronjob-controller',
      '--leader-elect=false',
      '--secure-port=0',
      // With the defaults, 20 requests per second and 5 workers, 1,000 Jobs take two minutes.
      '--kube-api-qps=5000',
      '--kube-api-burst=10000',
      '--concurrent-cron-job-syncs=20',
    ],
    inSyncLog: /Starting cronjob controller[\s\S]*Caches are synced/,
  },
  raw: {
    name: 'raw',
    title: 'plain client',
    cronJobs: toUntyped(cronJobs),
    command: ({ rawWork, due }) =>
      rawWork === 'burst'
        ? [process.execPath, resolveFile('raw-client.ts'), due?.toISOString() ?? '']
        : [
            process.execPath,
            resolveFile('plain-reader.mjs'),
            rawWork,
            resourcePath(cronJobs),
            resourcePath(batch.v1.jobs),
          ],
    inSyncLog: /read everything/,
  },
};

/** The harness reads metadata and one field of the status, in both kinds. */
function toUntyped<T extends KubernetesObject>(resource: Resource<T>): Resource<KubernetesObject> {
  return resource as unknown as Resource<KubernetesObject>;
}
