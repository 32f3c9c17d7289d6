import { describe, expect, test } from 'vitest';
import { core } from '../kubernetes/core.ts';
import { subresources } from '../kubernetes/subresource.ts';
import { apps } from '../kubernetes/workloads.ts';
import { type Widget, widget, widgets } from '../test-support/objects.ts';
import { RecordingTransport } from '../testing/recording-transport.ts';
import type { ReadOptions, WriteOptions } from './client.ts';
import { ApiError, InvalidResponseError } from './errors.ts';
import { LIST_PAGE_SIZE } from './list-pages.ts';
import { LiveClient } from './live-client.ts';
import type { ApiRequest } from './transport.ts';

const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const key = { namespace: 'default', name: 'a' };
const { signal } = new AbortController();

function scene(answer: (request: ApiRequest) => unknown = () => widget()) {
  const transport = new RecordingTransport();
  transport.answer = answer;
  return { client: new LiveClient(transport, { fieldManager: 'tester' }), requests: transport.requests };
}

const refuse = (code: number) => () => {
  throw new ApiError(code, {});
};

/** Returns the object as JSON sends it, without undefined fields. */
function toJsonObject(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe('get', () => {
  test('requests one object', async () => {
    const { client, requests } = scene();
    expect(await client.get(widgets, key, { signal })).toEqual(widget());
    expect(requests).toEqual([{ method: 'GET', path: `${WIDGETS}/a`, namespace: 'default', signal }]);
  });

  test('returns undefined when the object does not exist', async () => {
    expect(await scene(refuse(404)).client.get(widgets, key)).toBeUndefined();
  });

  test.each([403, 500])('rejects when the server answers %i', async (code) => {
    await expect(scene(refuse(code)).client.get(widgets, key)).rejects.toMatchObject({ code });
  });
});

describe('list', () => {
  /** Removes `kind` and `apiVersion`, as the API server does for items of a list. */
  function withoutType({ metadata, spec }: Widget) {
    return { metadata, spec };
  }

  test('reads page after page and adds kind and apiVersion to each object', async () => {
    const pages = [
      { metadata: { resourceVersion: '9', continue: 'more' }, items: [withoutType(widget({ name: 'a' }))] },
      { metadata: { resourceVersion: '9', continue: '' }, items: [withoutType(widget({ name: 'b' }))] },
    ];
    const { client, requests } = scene(() => pages.shift());
    expect(await client.list(widgets)).toEqual([widget({ name: 'a' }), widget({ name: 'b' })]);
    expect(requests.map(({ query }) => toJsonObject(query))).toEqual([
      { limit: LIST_PAGE_SIZE },
      { limit: LIST_PAGE_SIZE, continue: 'more' },
    ]);
  });

  test('stops at its limit', async () => {
    const page = (count: number) => ({
      metadata: { resourceVersion: '9', continue: 'more' },
      items: Array.from({ length: count }, (_, index) => withoutType(widget({ name: `${index}` }))),
    });
    const { client, requests } = scene(({ query }) => page(Number(query?.['limit'])));
    expect(await client.list(widgets, { limit: 2 })).toHaveLength(2);
    expect(await client.list(widgets, { limit: LIST_PAGE_SIZE + 3 })).toHaveLength(LIST_PAGE_SIZE + 3);
    expect(requests.map(({ query }) => query?.['limit'])).toEqual([2, LIST_PAGE_SIZE, 3]);
  });

  test('rejects a page that leads to itself', async () => {
    const { client, requests } = scene(() => ({ metadata: { resourceVersion: '9', continue: 'more' }, items: [] }));
    await expect(client.list(widgets)).rejects.toThrow(InvalidResponseError);
    expect(requests).toHaveLength(2);
  });

  test('requests one namespace and a label selector', async () => {
    const { client, requests } = scene(() => ({ metadata: { resourceVersion: '9' }, items: null }));
    expect(await client.list(widgets, { namespace: 'default', labelSelector: 'app=web', signal })).toEqual([]);
    const query = { limit: LIST_PAGE_SIZE, labelSelector: 'app=web' };
    expect(requests).toEqual([{ method: 'GET', path: WIDGETS, namespace: 'default', query, signal }]);
  });

  test('requests a field selector, and a label selector from an object', async () => {
    const { client, requests } = scene(() => ({ metadata: { resourceVersion: '1' } }));
    const matchExpressions = [{ key: 'old', operator: 'DoesNotExist' }] as const;
    const labelSelector = { matchLabels: { app: 'web' }, matchExpressions };
    await client.list(widgets, { labelSelector, fieldSelector: 'metadata.name=a' });
    expect(requests).toMatchObject([{ query: { labelSelector: '!old,app=web', fieldSelector: 'metadata.name=a' } }]);
  });

  test('rejects a field index, which only caches have', async () => {
    const { client, requests } = scene();
    // @ts-expect-error a live list takes a field selector instead
    await expect(client.list(widgets, { index: { name: 'color', value: 'red' } })).rejects.toThrow(TypeError);
    expect(requests).toEqual([]);
  });
});

describe('a list whose version expires between two pages', () => {
  const page = (names: readonly string[], next = '') => ({
    metadata: { resourceVersion: '9', continue: next },
    items: names.map((name) => widget({ name })),
  });
  /** The responses of the API server to the requests for the second and later pages. */
  const expiring = (...answers: readonly unknown[]) => {
    const left = [page(['old'], 'more'), ...answers];
    return scene(() => {
      const answer = left.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    });
  };
  const expired = new ApiError(410, { reason: 'Expired' });

  test('is read again in one response', async () => {
    const { client, requests } = expiring(expired, page(['a', 'b']));
    const options = { namespace: 'default', labelSelector: 'app=web', fieldSelector: 'metadata.name=a' };
    expect(await client.list(widgets, options)).toEqual([widget({ name: 'a' }), widget({ name: 'b' })]);
    const { namespace: _, ...selectors } = options;
    expect(requests.map(({ query }) => toJsonObject(query))).toEqual([
      { limit: LIST_PAGE_SIZE, ...selectors },
      { limit: LIST_PAGE_SIZE, continue: 'more', ...selectors },
      selectors,
    ]);
  });

  test('is read up to its limit', async () => {
    const { client, requests } = expiring(expired, page(['a', 'b'], 'more'));
    expect(await client.list(widgets, { limit: 2 })).toHaveLength(2);
    expect(requests.map(({ query }) => toJsonObject(query))).toEqual([
      { limit: 2 },
      { limit: 1, continue: 'more' },
      { limit: 2 },
    ]);
  });

  test.each([
    ['a second time', [expired, page(['a'], 'more'), expired]],
    ['and says so to the whole list', [expired, expired]],
    ['or fails in another way', [new ApiError(500, {})]],
  ])('rejects when the version of %s expires', async (_, answers) => {
    const { client, requests } = expiring(...answers);
    await expect(client.list(widgets)).rejects.toBe(answers.at(-1));
    expect(requests).toHaveLength(answers.length + 1);
  });

  test('is not read again for its first page', async () => {
    const { client, requests } = scene(() => {
      throw expired;
    });
    await expect(client.list(widgets)).rejects.toMatchObject({ code: 410 });
    expect(requests).toHaveLength(1);
  });
});

const READS: Readonly<Record<string, (client: LiveClient, options: ReadOptions) => Promise<unknown>>> = {
  get: (client, options) => client.get(widgets, key, options),
  list: (client, options) => client.list(widgets, { ...options, namespace: 'default' }),
};
const WRITES: Readonly<Record<string, (client: LiveClient, options: WriteOptions) => Promise<unknown>>> = {
  create: (client, options) => client.create(widgets, widget(), options),
  update: (client, options) => client.update(widgets, widget(), options),
  updateStatus: (client, options) =>
    client.updateStatus(widgets, { metadata: widget().metadata, status: { ready: true } }, options),
  patch: (client, options) => client.patch(widgets, key, { kind: 'merge', body: {} }, options),
  apply: (client, options) => client.apply(widgets, { metadata: key }, options),
  delete: (client, options) => client.delete(widgets, key, options),
};

test.each(Object.entries({ ...READS, ...WRITES }))(
  '%s passes its namespace, priority, timeout and signal',
  async (_, call) => {
    const { client, requests } = scene(() => ({ ...widget(), metadata: { resourceVersion: '9' }, items: [] }));
    const options = { priority: 'background', timeoutMs: 20_000, signal } as const;
    await call(client, options);
    expect(requests).toMatchObject([{ ...options, namespace: 'default' }]);
  },
);

test.each(Object.entries(WRITES))('%s supports a dry run', async (_, write) => {
  const { client, requests } = scene();
  await write(client, { dryRun: true });
  expect(requests).toMatchObject([{ query: { dryRun: 'All' } }]);
});

test("parses objects that are read with the resource's parser, but not the responses of writes", async () => {
  const parse = (stored: Widget): Widget => ({ ...stored, spec: { color: 'blue' } });
  const parsing = { ...widgets, parse };
  const one = scene().client;
  expect((await one.get(parsing, key))?.spec.color).toBe('blue');
  expect((await one.patch(parsing, key, { kind: 'merge', body: {} })).spec.color).toBe(widget().spec.color);
  const many = scene(() => ({ metadata: { resourceVersion: '9' }, items: [widget()] })).client;
  expect((await many.list(parsing)).map(({ spec }) => spec.color)).toEqual(['blue']);
});

describe('writes', () => {
  const query = { fieldManager: 'tester' };
  const { namespace } = key;

  test('create posts to the collection of the namespace, and can reject unknown fields', async () => {
    const { client, requests } = scene();
    const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: key, spec: { color: 'red' } };
    expect(await client.create(widgets, object, { fieldValidation: 'Strict' })).toEqual(widget());
    const sent = { method: 'POST', path: WIDGETS, namespace, query: { ...query, fieldValidation: 'Strict' } };
    expect(requests.map(toJsonObject)).toEqual([{ ...sent, body: object }]);
  });

  test('create and apply add kind and apiVersion', async () => {
    const { client, requests } = scene();
    await client.create(core.v1.configMaps, { metadata: key, data: { a: '1' } });
    await client.apply(core.v1.configMaps, { metadata: key, data: { a: '1' } });
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data: { a: '1' } };
    expect(requests.map((request) => request.body)).toEqual([body, body]);
  });

  test('update puts the whole object', async () => {
    const { client, requests } = scene();
    await client.update(widgets, widget());
    expect(requests.map(toJsonObject)).toEqual([
      { method: 'PUT', path: `${WIDGETS}/a`, namespace, query, body: widget() },
    ]);
  });

  test('updateStatus puts the status and only the metadata that identifies the version', async () => {
    const { client, requests } = scene();
    const { metadata } = widget({ resourceVersion: '7', labels: { app: 'web' } });
    await client.updateStatus(widgets, { metadata, status: { ready: true } });
    const body = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'a', namespace: 'default', uid: 'uid-of-a', resourceVersion: '7' },
      status: { ready: true },
    };
    expect(requests.map(toJsonObject)).toEqual([
      { method: 'PUT', path: `${WIDGETS}/a/status`, namespace, query, body },
    ]);
  });

  test('updateStatus with a spec puts the whole object except for managedFields', async () => {
    const { client, requests } = scene();
    const { metadata, spec } = widget({ labels: { app: 'web' } });
    const stored = { ...metadata, managedFields: [{ manager: 'other' }] };
    await client.updateStatus(widgets, { metadata: stored, spec, status: { ready: true } });
    const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec, status: { ready: true } };
    expect(requests.map(toJsonObject)).toMatchObject([{ path: `${WIDGETS}/a/status`, body }]);
    expect(requests[0]?.body).not.toHaveProperty('metadata.managedFields');
  });

  test('updateStatus of a built-in kind patches the status and tests the version', async () => {
    const { client, requests } = scene();
    const metadata = { ...key, uid: 'uid-of-a', resourceVersion: '7' };
    await client.updateStatus(apps.v1.deployments, { metadata, status: { replicas: 2 } });
    const body = [
      { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
      { op: 'add', path: '/status', value: { replicas: 2 } },
    ];
    const path = '/apis/apps/v1/namespaces/default/deployments/a/status';
    const contentType = 'application/json-patch+json';
    expect(requests.map(toJsonObject)).toEqual([{ method: 'PATCH', path, namespace, query, body, contentType }]);
  });

  test("apply uses the client's field manager or the given one", async () => {
    const { client, requests } = scene();
    const body = { ...widget(), metadata: key };
    await client.apply(widgets, body);
    await client.apply(widgets, body, { fieldManager: 'other', force: true, subresource: 'status' });
    const sent = { method: 'PATCH', namespace, body, contentType: 'application/apply-patch+yaml' };
    expect(requests.map(toJsonObject)).toEqual([
      { ...sent, path: `${WIDGETS}/a`, query },
      { ...sent, path: `${WIDGETS}/a/status`, query: { fieldManager: 'other', force: true } },
    ]);
  });

  test.each([
    [{ kind: 'merge', body: { spec: { color: 'blue' } } }, 'application/merge-patch+json'],
    [{ kind: 'json', body: [{ op: 'remove', path: '/spec/color' }] }, 'application/json-patch+json'],
  ] as const)('patch %j has the content type %s', async (patch, contentType) => {
    const { client, requests } = scene();
    await client.patch(widgets, key, patch, { subresource: 'status' });
    const { body } = patch;
    const path = `${WIDGETS}/a/status`;
    expect(requests.map(toJsonObject)).toEqual([{ method: 'PATCH', path, namespace, query, body, contentType }]);
  });

  test('a dry run of a delete is an option in the body, because a body replaces the query', async () => {
    const { client, requests } = scene();
    await client.delete(widgets, key, { dryRun: true });
    await client.deleteAllOf(widgets, { namespace, dryRun: true });
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['All'] };
    expect(requests.map((request) => toJsonObject(request.body))).toEqual([body, body]);
  });

  test.each<[string, (client: LiveClient) => Promise<unknown>, object]>([
    [
      'reads',
      (client) => client.getSubresource(apps.v1.deployments, key, subresources.scale, { signal }),
      { method: 'GET', path: '/apis/apps/v1/namespaces/default/deployments/a/scale', namespace, signal },
    ],
    [
      'updates',
      (client) => {
        const update = { metadata: { resourceVersion: '7' }, spec: { replicas: 2 } };
        return client.updateSubresource(apps.v1.deployments, key, subresources.scale, update);
      },
      {
        ...{ method: 'PUT', path: '/apis/apps/v1/namespaces/default/deployments/a/scale', namespace, query },
        body: {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { ...key, resourceVersion: '7' },
          spec: { replicas: 2 },
        },
      },
    ],
    [
      'creates',
      (client) => {
        const request = { deleteOptions: { gracePeriodSeconds: 5 } };
        return client.createSubresource(core.v1.pods, key, subresources.eviction, request, { dryRun: true });
      },
      {
        method: 'POST',
        path: '/api/v1/namespaces/default/pods/a/eviction',
        namespace,
        query: { dryRun: 'All', ...query },
        body: {
          ...{ apiVersion: 'policy/v1', kind: 'Eviction', metadata: key },
          deleteOptions: { gracePeriodSeconds: 5 },
        },
      },
    ],
  ])('%s a subresource', async (_, call, request) => {
    const { client, requests } = scene();
    await call(client);
    expect(requests.map(toJsonObject)).toEqual([toJsonObject(request)]);
  });

  test('deleteAllOf deletes a collection, and requires the namespace of a namespaced kind', async () => {
    const { client, requests } = scene();
    const { labelSelector, propagationPolicy } = { labelSelector: 'app=web', propagationPolicy: 'Background' } as const;
    await client.deleteAllOf(core.v1.pods, { namespace, labelSelector, propagationPolicy });
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy };
    const path = '/api/v1/namespaces/default/pods';
    expect(requests.map(toJsonObject)).toEqual([{ method: 'DELETE', path, namespace, query: { labelSelector }, body }]);
    // @ts-expect-error Pods are namespaced
    await expect(client.deleteAllOf(core.v1.pods, {})).rejects.toThrow('give the option namespace');
  });

  test('delete sends preconditions and the propagation policy', async () => {
    const { client, requests } = scene();
    const options = {
      propagationPolicy: 'Background',
      gracePeriodSeconds: 5,
      preconditions: { uid: 'uid-of-a' },
    } as const;
    await client.delete(widgets, key, options);
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...options };
    expect(requests.map(toJsonObject)).toEqual([
      { method: 'DELETE', path: `${WIDGETS}/a`, namespace, query: {}, body },
    ]);
  });
});
