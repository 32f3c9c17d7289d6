/** A list in pages, whose version etcd forgets before the next page is read: what befalls a list of many objects that takes long. */
import { apiErrorOf, core, LiveClient, type Transport } from 'controller-runtime';
import { expect, inject, test } from 'vitest';
import { connect } from '../support/cluster-client.ts';
import { createNamespace } from '../support/namespace.ts';
import './support/provided.ts';

/** More than a page. */
const COUNT = 501;
/** The API server has no cache of them: each page comes from etcd. */
const { events } = core.v1;

/** Makes etcd forget everything that was so before `revision`. */
async function compact(revision: string): Promise<void> {
  const body = JSON.stringify({ revision });
  const response = await fetch(`${inject('etcd')}/v3/kv/compaction`, { method: 'POST', body });
  if (!response.ok) throw new Error(`etcd compaction: ${response.status} ${await response.text()}`);
}

test('is read once more, as it is now', async () => {
  await using cluster = connect(inject('kubeconfig'));
  const namespace = await createNamespace(inject('apiServer'), 'expired');
  const involvedObject = { kind: 'Namespace', name: namespace, namespace };
  const names = Array.from({ length: COUNT }, (_, index) => `event-${index}`);
  const create = (name: string) => cluster.client.create(events, { metadata: { namespace, name }, involvedObject });
  await Promise.all(names.map(create));

  const outcomes: (number | undefined)[] = [];
  const transport: Transport = {
    stream: (request) => cluster.transport.stream(request),
    request: async (request) => {
      const answer = await cluster.transport.request(request).catch((error: unknown) => {
        outcomes.push(apiErrorOf(error)?.code);
        throw error;
      });
      outcomes.push(200);
      if (outcomes.length > 1) return answer;
      const { metadata } = await create('meanwhile');
      await compact(metadata.resourceVersion);
      return answer;
    },
  };
  const found = await new LiveClient(transport, { fieldManager: 'tester' }).list(events, { namespace });
  expect(found.map(({ metadata }) => metadata.name).toSorted()).toEqual([...names, 'meanwhile'].toSorted());
  expect(outcomes).toEqual([200, 410, 200]);
});
