/** CronJobs through kubectl as a user would use it, without our webhooks and without a manager. */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import type { CronJobSpec, CronJobStatus } from '../../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND } from '../../../api/v1/groupversion.ts';
import { createNamespace } from '../../support/namespace.ts';
import './provided.ts';

export interface KubectlResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function run(args: readonly string[], input?: unknown): Promise<KubectlResult> {
  const kubeconfig = inject('kubeconfig');
  // The cache is deleted with the API server. kubectl's own cache outlives the API server that a port belonged to.
  const global = ['--kubeconfig', kubeconfig, '--cache-dir', join(dirname(kubeconfig), 'kubectl-cache')];
  return new Promise((resolve) => {
    const options = { maxBuffer: 100_000_000 };
    const child = execFile(inject('kubectl'), [...global, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin?.end(input === undefined ? '' : JSON.stringify(input));
  });
}

export async function kubectl(args: readonly string[], input?: unknown): Promise<string> {
  const { code, stdout, stderr } = await run(args, input);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

export const createTestNamespace = () => createNamespace(inject('apiServer'), 'crd');

export const jobTemplate = {
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
};

/** A CronJob that is valid except for `spec`. */
export function cronJob(name: string, spec: Readonly<Record<string, unknown>> = {}) {
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: { name },
    spec: { schedule: '0 * * * *', jobTemplate, ...spec },
  };
}

export interface CrdCronJob {
  readonly metadata: { readonly generation: number };
  readonly spec: CronJobSpec;
  readonly status?: CronJobStatus;
}

export async function create(namespace: string, manifest: unknown): Promise<CrdCronJob> {
  return JSON.parse(await kubectl(['create', '-n', namespace, '-f', '-', '-o', 'json'], manifest)) as CrdCronJob;
}

export async function patchStatus(
  namespace: string,
  name: string,
  status: Partial<CronJobStatus>,
): Promise<KubectlResult> {
  const patch = ['--type=merge', '--subresource=status', '-p', JSON.stringify({ status }), '-o', 'json'];
  return run(['patch', 'tcj', name, '-n', namespace, ...patch]);
}
