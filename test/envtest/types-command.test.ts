/** Types of other people's kinds, against a real API server. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { apiextensions } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { certificates, rollouts, serviceMonitors } from '../fixtures/crds/types.ts';
import { connect } from '../support/cluster-client.ts';
import { PROJECT } from '../support/manifests.ts';
import { createNamespace } from '../support/namespace.ts';
import './support/provided.ts';

const FOLDER = join(PROJECT, 'test/fixtures/crds');
const { customResourceDefinitions } = apiextensions.v1;

test('types from the cluster are the types of the files, and fit the API server', async () => {
  const kubeconfig = inject('kubeconfig');
  await using cluster = connect(kubeconfig);
  const { client } = cluster;
  const names: string[] = [];
  for (const file of ['certificate.yaml', 'rollout.yaml', 'service-monitor.yaml']) {
    const documents = parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8')).map((document) => document.toJS());
    const definition = documents.find(({ kind }) => kind === 'CustomResourceDefinition');
    names.push(definition.metadata.name);
    await client.apply(customResourceDefinitions, definition, { fieldValidation: 'Strict' });
  }
  const key = { namespace: await createNamespace(inject('apiServer'), 'types'), name: 'a' };
  // Creates fail until the API server serves the kinds.
  await eventually(async () => {
    const spec = { secretName: 'a', commonName: 'a', issuerRef: { name: 'ca' }, secretTemplate: null };
    const certificate = await client.apply(certificates, { metadata: key, spec });
    expect(certificate.spec.issuerRef).toEqual({ name: 'ca', kind: 'Issuer' });
    const updated = { metadata: certificate.metadata, status: { notAfter: '2030-01-01T00:00:00Z' } };
    expect((await client.updateStatus(certificates, updated)).status).toEqual(updated.status);
    const endpoints = [{ targetPort: 'http', '5xx-limit': 3 }, { targetPort: 80 }];
    expect((await client.apply(serviceMonitors, { metadata: key, spec: { endpoints } })).spec).toEqual({ endpoints });
    const steps = [{ setWeight: 20 }, { pause: { duration: '1m' }, analysis: {} }];
    const rollout = await client.apply(rollouts, {
      metadata: { name: 'a' },
      spec: { strategy: { canary: { steps } } },
    });
    expect(rollout.spec).toEqual({ replicas: 1, strategy: { canary: { steps } } });
  });
  const args = [join(PROJECT, 'runtime/command.ts'), 'types', '--from-cluster', ...names];
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout).toBe(readFileSync(join(FOLDER, 'types.ts'), 'utf8'));
});
