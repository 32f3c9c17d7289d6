import { expect, test } from 'vitest';
import { formatCallKind, parseCall } from './call.ts';

test.each([
  ['POST', '/apis/batch/v1/namespaces/a/jobs', 'create jobs'],
  ['POST', '/apis/batch/v1/namespaces/a/jobs?dryRun=All', 'create jobs (dry run)'],
  ['PUT', '/apis/batch.tutorial.kubebuilder.io/v1/namespaces/a/cronjobs/b/status', 'update cronjobs/status'],
  ['PATCH', '/api/v1/namespaces/a/events/b', 'patch events'],
  ['DELETE', '/apis/batch/v1/namespaces/a/jobs/b', 'delete jobs'],
  ['GET', '/apis/batch/v1/namespaces/a/jobs/b', 'get jobs'],
  ['GET', '/apis/batch/v1/jobs?limit=500', 'list jobs'],
  ['GET', '/apis/batch/v1/jobs?watch=1', 'watch jobs'],
  ['GET', '/apis/coordination.k8s.io/v1/namespaces/a/leases/b', 'get leases'],
])('%s %s', (method, url, kind) => {
  const call = parseCall(method, url);
  expect(call && formatCallKind(call)).toBe(kind);
});

test('a path that belongs to no resource', () => {
  expect(parseCall('GET', '/readyz')).toBeUndefined();
});
