import { describe, expect, test } from 'vitest';
import { LiveClient } from '../client/live-client.ts';
import type { OwnedConfiguration } from '../client/patch.ts';
import { type ConfigMap, core, type Node } from '../kubernetes/core.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { Resource } from '../kubernetes/resource.ts';
import { widget, widgetOwner } from '../test-support/objects.ts';
import { RecordingTransport } from '../testing/recording-transport.ts';
import { applyOwned } from './apply-owned.ts';

const { configMaps, nodes } = core.v1;
const { namespace: _, ...metadata } = widget({ name: 'r' }).metadata;
const rack: KubernetesObject = { apiVersion: 'example.com/v1', kind: 'Rack', metadata };

async function applying<T extends ConfigMap | Node>(
  configuration: OwnedConfiguration<T>,
  owner: KubernetesObject = widget({ namespace: 'x', name: 'a' }),
  resource = configMaps as unknown as Resource<T>, // default resource
) {
  const transport = new RecordingTransport();
  const client = new LiveClient(transport, { fieldManager: 'site' });
  await applyOwned(client, owner, resource, configuration, new AbortController().signal);
  return transport.requests[0];
}

describe('an applied object', () => {
  test('has the namespace of its owner, which controls it, and the manager owns its fields', async () => {
    const data = { text: 'hello' };
    expect(await applying<ConfigMap>({ metadata: { name: 'n', labels: { app: 'web' } }, data })).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/namespaces/x/configmaps/n',
      contentType: 'application/apply-patch+yaml',
      query: { fieldManager: 'site', force: true },
      body: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'n',
          namespace: 'x',
          labels: { app: 'web' },
          ownerReferences: [widgetOwner('a', { blockOwnerDeletion: true })],
        },
        data,
      },
    });
  });

  test('may be in any namespace if its owner is cluster-scoped', async () => {
    const request = await applying({ metadata: { name: 'n', namespace: 'y' } }, rack);
    expect(request?.path).toBe('/api/v1/namespaces/y/configmaps/n');
    await expect(applying({ metadata: { name: 'n' } }, rack)).rejects.toThrow('metadata.namespace is required');
  });

  test('may be cluster-scoped if its owner is', async () => {
    const request = await applying({ metadata: { name: 'n' } }, rack, nodes);
    expect(request?.path).toBe('/api/v1/nodes/n');
    await expect(applying({ metadata: { name: 'n' } }, undefined, nodes)).rejects.toThrow(
      'cannot be owned by Widget x/a',
    );
  });
});
