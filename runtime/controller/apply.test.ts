import { describe, expect, test } from 'vitest';
import { LiveClient } from '../client/live-client.ts';
import type { OwnedConfiguration } from '../client/patch.ts';
import type { ClusterObject, KubernetesObject, NamespacedObject } from '../kubernetes/object.ts';
import { clusterResource, namespacedResource, type Resource } from '../kubernetes/resource.ts';
import { type Widget, widget, widgetOwner } from '../test-support/objects.ts';
import { RecordingTransport } from '../testing/recording-transport.ts';
import { applyOwned } from './apply.ts';

interface NoteFields {
  readonly data?: Readonly<Record<string, string>>;
  readonly lines: readonly { readonly text: string; readonly bold: boolean }[];
}
type Note = NamespacedObject & NoteFields;
type ClusterNote = ClusterObject & NoteFields;
const notes = namespacedResource<Note>('v1', 'Note');
const clusterNotes = clusterResource<ClusterNote>('v1', 'Note');
const rack: KubernetesObject = {
  ...widget({ name: 'r' }),
  kind: 'Rack',
  metadata: metadataWithout(widget({ name: 'r' })),
};

function metadataWithout({ metadata: { namespace: _, ...metadata } }: Widget): KubernetesObject['metadata'] {
  return metadata;
}

async function applying<T extends Note | ClusterNote>(
  configuration: OwnedConfiguration<T>,
  owner: KubernetesObject = widget({ namespace: 'x', name: 'a' }),
  resource = notes as unknown as Resource<T>, // unless another is given
) {
  const transport = new RecordingTransport();
  const client = new LiveClient(transport, { fieldManager: 'site' });
  await applyOwned(client, owner, resource, configuration, new AbortController().signal);
  return transport.requests[0];
}

describe('an object that is applied', () => {
  test('is in the namespace of its owner, which controls it, and its fields are the manager’s', async () => {
    const lines = [{ text: 'hello' }];
    expect(await applying({ metadata: { name: 'n', labels: { app: 'web' } }, lines })).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/namespaces/x/notes/n',
      contentType: 'application/apply-patch+yaml',
      query: { fieldManager: 'site', force: true },
      body: {
        apiVersion: 'v1',
        kind: 'Note',
        metadata: {
          name: 'n',
          namespace: 'x',
          labels: { app: 'web' },
          ownerReferences: [widgetOwner('a', { blockOwnerDeletion: true })],
        },
        lines,
      },
    });
  });

  test('may be in any namespace when its owner is in none', async () => {
    const request = await applying({ metadata: { name: 'n', namespace: 'y' } }, rack);
    expect(request?.path).toBe('/api/v1/namespaces/y/notes/n');
    await expect(applying({ metadata: { name: 'n' } }, rack)).rejects.toThrow('metadata.namespace is missing');
  });

  test('may be in none when its owner is in none', async () => {
    const request = await applying({ metadata: { name: 'n' } }, rack, clusterNotes);
    expect(request?.path).toBe('/api/v1/notes/n');
    await expect(applying({ metadata: { name: 'n' } }, undefined, clusterNotes)).rejects.toThrow(
      'cannot be owned by Widget x/a',
    );
  });
});
