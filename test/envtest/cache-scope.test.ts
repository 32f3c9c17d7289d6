/** The objects of a kind that a cache holds, and the reconciles that it causes, against a real API server. */
import {
  core,
  findApiError,
  type KubernetesObject,
  LabelSelectorError,
  SystemClock,
  type Transport,
} from 'controller-runtime';
import { Cache, discardLogger, ParsedLabelSelector } from 'controller-runtime/internal';
import { eventually } from 'controller-runtime/testing';
import { beforeAll, expect, inject, test } from 'vitest';
import { connect } from '../support/cluster-client.ts';
import { createNamespace } from '../support/namespace.ts';

const { configMaps } = core.v1;

const STORED: Readonly<Record<string, Record<string, string>>> = {
  web: { app: 'web', tier: 'front', rev: '12' },
  db: { app: 'db', empty: '' },
  none: {},
};

let namespace: string;
beforeAll(async () => {
  namespace = await createNamespace(inject('apiServer'), 'scope');
  await using cluster = connect(inject('kubeconfig'));
  for (const [name, labels] of Object.entries(STORED)) {
    await cluster.client.create(configMaps, { metadata: { namespace, name, labels }, data: { a: 'b' } });
  }
});

/** A running cache, configured by `setUp`, after its sync. */
async function startCache(setUp: (cache: Cache) => void, wrapTransport = (transport: Transport) => transport) {
  const { transport, client } = connect(inject('kubeconfig'));
  const cache = new Cache({
    transport: wrapTransport(transport),
    clock: new SystemClock(),
    log: discardLogger,
    namespaces: [namespace],
  });
  setUp(cache);
  const stopping = new AbortController();
  const ended = cache.start(stopping.signal);
  await eventually(() => expect(cache.check()).toBeUndefined());
  return {
    cache,
    client,
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await ended;
      await transport.close();
    },
  };
}

const listNames = (objects: readonly KubernetesObject[]) => objects.map(({ metadata }) => metadata.name).sort();

test('cached lists select by labels as the API server does', async () => {
  await using scene = await startCache((cache) => cache.informerFor(configMaps));
  // biome-ignore format: a table reads better in rows
  const selectors = [
    '', 'app', '!app', 'app=web', 'app==web', 'app!=web', 'app in (web,db)', 'app notin (web)', 'app=web,tier in (front,back),!x',
    'empty=', 'empty in (,x)', 'rev>11', 'rev<12', 'app>1', ' app = web , ! x ', 'x notin (a)', 'empty in ()', 'empty notin ()', 'in',
  ];
  for (const selector of selectors) {
    const live = await scene.client.list(configMaps, { namespace, labelSelector: selector });
    const cached = await scene.cache.list(configMaps, { namespace, labelSelector: selector });
    expect(listNames(cached), selector).toEqual(listNames(live));
  }
});

test('refuses the label selectors that the API server refuses', async () => {
  await using cluster = connect(inject('kubeconfig'));
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  // biome-ignore format: a table reads better in rows
  const selectors = [
    'a,', ',a', 'a b', '!a=b', 'a=b c', 'a in b', 'a in (b', 'a in ()', 'a=(b)', '-a=b', 'a/b/c', 'A_/b', 'a=b/c', 'a>b', 'a>-1', 'a>+1', 'a>',
    'a=b,,c', '!', '!!a', '=b', 'a===b', 'a in (b,,c)', 'a in (b c)', 'in', 'in=in', 'a=in', 'a!', 'a=!b', 'a notin ()', 'a<1,', 'a;b', 'a==',
  ];
  const verdicts = await Promise.all(
    selectors.map(async (labelSelector) => {
      const requested = cluster.transport.request({ method: 'GET', path, query: { labelSelector } });
      return [
        labelSelector,
        await requested.then(
          () => true,
          (error) => findApiError(error) === undefined,
        ),
      ] as const;
    }),
  );
  expect(selectors.map((selector) => [selector, isAccepted(selector)])).toEqual(verdicts);
});

function isAccepted(selector: string): boolean {
  try {
    return new ParsedLabelSelector(selector) !== undefined;
  } catch (error) {
    if (error instanceof LabelSelectorError) return false;
    throw error;
  }
}

test('a metadata cache requests and stores only metadata', async () => {
  const received: string[] = [];
  const recordTransport = (transport: Transport): Transport => ({
    request: async (request) => {
      const response = await transport.request(request);
      received.push(JSON.stringify(response));
      return response;
    },
    stream: async (request) => recordChunks(await transport.stream(request)),
  });
  async function* recordChunks(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      received.push(Buffer.from(chunk).toString());
      yield chunk;
    }
  }
  await using scene = await startCache(
    (cache) => cache.informerFor(configMaps, { metadataOnly: true, labelSelector: 'app=web' }),
    recordTransport,
  );
  const [cached] = await scene.cache.listMetadata(configMaps);
  const { apiVersion, kind, metadata } = (await scene.client.get(configMaps, { namespace, name: 'web' }))!;
  const { managedFields: _, ...kept } = metadata;
  expect(cached).toEqual({ apiVersion, kind, metadata: kept });
  expect(received.join('')).toContain('"PartialObjectMetadata');
  expect(received.join('')).not.toContain('"data"');
});
