import { expect, test } from 'vitest';
import { METADATA_ACCEPT_HEADER } from '../cache/partial-object.ts';
import { LiveClient } from '../client/live-client.ts';
import { core } from '../kubernetes/core.ts';
import { RecordingTransport } from '../testing/recording-transport.ts';
import { createMetadataOnlyTransport } from './metadata-only-transport.ts';

test('each write requests only the metadata of the stored object', async () => {
  const transport = new RecordingTransport();
  const client = new LiveClient(createMetadataOnlyTransport(transport), { fieldManager: 'tester' });
  const key = { namespace: 'a', name: 'b' };
  const options = { priority: 'background', timeoutMs: 1000 } as const;
  await client.create(core.v1.events, { metadata: key, involvedObject: {} }, options);
  await client.patch(core.v1.events, key, { kind: 'merge', body: { count: 2 } }, options);
  const common = { accept: METADATA_ACCEPT_HEADER, namespace: 'a', ...options };
  expect(transport.requests).toMatchObject([
    { ...common, method: 'POST', body: { metadata: key } },
    { ...common, method: 'PATCH', body: { count: 2 } },
  ]);
});
