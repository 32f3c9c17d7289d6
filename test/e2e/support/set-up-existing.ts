/** Clusters that the suite does not run itself: the one that the user names, or kind where Docker is. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { Progress } from '../../../hack/control-plane/progress.ts';
import { provision } from '../../../hack/control-plane/provision.ts';
import { run } from '../../../hack/control-plane/run.ts';
import { createManagerImage } from '../../../hack/image/manager-image.ts';
import { createKubectl, PROJECT } from '../../support/manifests.ts';
import type { SiteFacts } from './facts.ts';
import { MANAGER_IMAGE, NEXT_MANAGER_IMAGE, SHELL_IMAGE } from './images.ts';
import './provided.ts';

const CRD = 'cronjobs.batch.tutorial.kubebuilder.io';
const KIND_CLUSTER = 'cronjob-operator-e2e';

/** The cluster of `KUBECONFIG`. It must not have our operator: the tests end with its removal. */
export async function setUpExisting(project: TestProject): Promise<() => Promise<void>> {
  // hack/test-e2e.ts has checked that they exist.
  const { KUBECONFIG: kubeconfig = '', E2E_IMAGE: image = '', E2E_NEXT_IMAGE: nextImage = image } = process.env;
  await provide(project, kubeconfig, { name: 'existing', image, nextImage });
  return async () => undefined;
}

/** A cluster of Docker containers, created for the run. */
export async function setUpKind(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'kind-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const ofCluster = [`--name=${KIND_CLUSTER}`, `--kubeconfig=${kubeconfig}`];
  const tearDown = async () => {
    await run('kind', ['delete', 'cluster', ...ofCluster]);
    await rm(folder, { recursive: true, force: true });
  };
  const progress = new Progress();
  const starting = progress.step('starting a cluster with kind');
  try {
    await run('kind', ['create', 'cluster', '--wait=120s', ...ofCluster]);
    for (const name of [MANAGER_IMAGE, NEXT_MANAGER_IMAGE]) {
      const archive = join(folder, 'image.tar');
      await writeFile(archive, (await createManagerImage(PROJECT, name)).content);
      await run('kind', ['load', 'image-archive', archive, `--name=${KIND_CLUSTER}`]);
    }
    await run('docker', ['pull', '--quiet', SHELL_IMAGE]);
    await run('kind', ['load', 'docker-image', SHELL_IMAGE, `--name=${KIND_CLUSTER}`]);
    await provide(project, kubeconfig, { name: 'kind', image: MANAGER_IMAGE, nextImage: NEXT_MANAGER_IMAGE });
  } catch (error) {
    await tearDown();
    throw error;
  }
  starting.done();
  return tearDown;
}

async function provide(project: TestProject, kubeconfig: string, facts: SiteFacts): Promise<void> {
  const { kubectl } = await provision(['kubectl']);
  const cacheFolder = await mkdtemp(join(tmpdir(), 'kubectl-'));
  try {
    const found = await createKubectl({ kubectl, kubeconfig, cacheFolder })('get', 'crd', '--output=name');
    if (found.includes(`/${CRD}\n`)) {
      throw new Error(`the cluster of ${kubeconfig} has ${CRD}: the tests would delete it with all CronJobs`);
    }
  } finally {
    await rm(cacheFolder, { recursive: true, force: true });
  }
  project.provide('kubeconfig', kubeconfig);
  project.provide('kubectl', kubectl);
  project.provide('site', facts);
}
