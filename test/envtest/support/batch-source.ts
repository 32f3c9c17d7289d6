/** A CronJob of batch/v1 in a scene, for the import. */
import { batch, type CronJob as SourceCronJob } from 'controller-runtime/kubernetes';
import type { Scene } from '../../support/scene.ts';

export const sources = batch.v1.cronJobs;
/** It is not due during a test. */
export const YEARLY = '0 0 1 1 *';

interface SourceParts {
  readonly spec?: object;
  readonly metadata?: object;
}

export async function createSource(
  scene: Scene,
  { spec = {}, metadata = {} }: SourceParts = {},
): Promise<SourceCronJob> {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox' }] } };
  return await scene.client.create(sources, {
    metadata: { name: 'backup', namespace: scene.namespace, ...metadata },
    spec: { schedule: YEARLY, jobTemplate: { spec: { template } }, ...spec },
  });
}

export async function getSource(scene: Scene): Promise<SourceCronJob | undefined> {
  return await scene.client.get(sources, { namespace: scene.namespace, name: 'backup' });
}
