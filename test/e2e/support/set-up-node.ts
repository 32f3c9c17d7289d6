/** Our own node that runs containers, with our image of this machine, our image of a release, and an image that has a shell. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { Progress } from '../../../hack/control-plane/progress.ts';
import { provision } from '../../../hack/control-plane/provision.ts';
import { detectPlatform, NODE_BINARIES } from '../../../hack/control-plane/versions.ts';
import { installPackages } from '../../../hack/debian-packages.ts';
import type { Architecture } from '../../../hack/image/download-runtime.ts';
import { createManagerImage, createReleaseImage } from '../../../hack/image/manager-image.ts';
import { busyboxImage } from '../../real-node/busybox-image.ts';
import { missingPackages } from '../../real-node/packages.ts';
import { RealNode } from '../../real-node/real-node.ts';
import { findReasonAgainst } from '../../real-node/reason-against.ts';
import { PROJECT } from '../../support/manifests.ts';
import { MANAGER_IMAGE, NEXT_MANAGER_IMAGE, SHELL_IMAGE } from './images.ts';
import { machineState } from './machine-state.ts';
import './provided.ts';

export async function setUpNode(project: TestProject): Promise<() => Promise<void>> {
  const reason = await findReasonAgainst();
  if (reason !== undefined) throw new Error(`no real node on this machine: ${reason}`);
  const progress = new Progress();
  await installPackages(missingPackages(process.env['PATH'] ?? ''), progress);
  const binaries = await provision(NODE_BINARIES);
  project.provide('machineBefore', machineState());
  const folder = await mkdtemp(join(tmpdir(), 'real-node-'));

  const starting = progress.step('starting a node, and building the images');
  const architecture = detectPlatform().arch as Architecture; // a release has no image for another one
  const images = Promise.all([
    createManagerImage(PROJECT, MANAGER_IMAGE),
    createReleaseImage(PROJECT, NEXT_MANAGER_IMAGE, architecture),
    busyboxImage(SHELL_IMAGE),
  ]);
  images.catch(() => undefined); // reported below, when there is a node to stop
  const node = await RealNode.start({ folder, binaries });
  try {
    const [manager, release, shell] = await images;
    starting.done();
    const importing = progress.step('importing the images');
    for (const [name, { content }] of Object.entries({ manager, release, shell })) {
      const archive = join(folder, `${name}.tar`);
      await writeFile(archive, content);
      await node.importImage(archive);
    }
    importing.done();
  } catch (error) {
    await node.stop();
    throw error;
  }
  project.provide('apiServer', node.apiServer);
  project.provide('kubeconfig', node.kubeconfig);
  project.provide('kubectl', binaries.kubectl);
  project.provide('auditLog', node.auditLog);
  project.provide('enterNode', node.enter);
  project.provide('site', { name: 'node', image: MANAGER_IMAGE, nextImage: NEXT_MANAGER_IMAGE });
  return () => node.stop();
}
