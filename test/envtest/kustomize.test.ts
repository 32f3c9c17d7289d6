/** The files for kustomize in config/kustomize. test/clients/release.test.ts tests the copies in a release. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { createKustomizeOpenApi, type OpenApiDocument } from '../../hack/kustomize/openapi.ts';
import { connect } from '../support/cluster-client.ts';
import { KUSTOMIZE_FILES, testKustomization } from './support/kustomization.ts';

const FOLDER = join(import.meta.dirname, '../../config/kustomize');

test('the checked-in schema is what this API server serves', async () => {
  await using cluster = connect(inject('kubeconfig'));
  const document = (await cluster.transport.request({ method: 'GET', path: '/openapi/v2' })) as OpenApiDocument;
  expect(readFileSync(join(FOLDER, KUSTOMIZE_FILES.schema), 'utf8')).toBe(createKustomizeOpenApi(document));
});

testKustomization(FOLDER);
