/** A cluster where Jobs only report that they ran, and Deployments create Pods that the tests play: KwokSite. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { Progress } from '../../../hack/control-plane/progress.ts';
import { provision } from '../../../hack/control-plane/provision.ts';
import { CLUSTER_BINARIES } from '../../../hack/control-plane/versions.ts';
import { ADMISSION_PLUGINS, AUDIT_ALL_METADATA } from '../../cluster/api-server-flags.ts';
import { KwokCluster } from '../../cluster/kwok-cluster.ts';
import { MANAGER_IMAGE, NEXT_MANAGER_IMAGE } from './images.ts';
import './provided.ts';

/** Controllers that a Deployment and a PodDisruptionBudget need, and the controller of batch/v1, whose CronJobs are imported. */
const MORE_CONTROLLERS = [
  'cronjob-controller',
  'deployment-controller',
  'disruption-controller',
  'replicaset-controller',
];

export async function setUpKwok(project: TestProject): Promise<() => Promise<void>> {
  const progress = new Progress();
  const binaries = await provision(CLUSTER_BINARIES, { progress });
  const folder = await mkdtemp(join(tmpdir(), 'kwok-'));
  const starting = progress.step('starting a cluster without containers');
  const cluster = new KwokCluster({
    folder,
    binaries,
    extraControllers: MORE_CONTROLLERS,
    auditPolicy: AUDIT_ALL_METADATA,
    admissionPlugins: ADMISSION_PLUGINS,
  });
  project.provide('apiServer', await cluster.start());
  starting.done();
  project.provide('kubeconfig', cluster.kubeconfig);
  project.provide('kubectl', binaries.kubectl);
  project.provide('auditLog', cluster.auditLog);
  project.provide('site', { name: 'kwok', image: MANAGER_IMAGE, nextImage: NEXT_MANAGER_IMAGE });
  return () => cluster.stop();
}
