import { describe, expect, test } from 'vitest';
import { serveWebhooks } from '../test-support/served-webhooks.ts';
import { Website } from '../test-support/websites.ts';
import { storedObject } from '../testing/stored-object.ts';
import { WebhookRegistry } from './webhook-registry.ts';

const { v1alpha1 } = Website.versions;
const createOld = (name: string, size: 'small' | 'large' = 'large') =>
  storedObject(v1alpha1, { metadata: { name }, spec: { image: 'nginx', size } });

const createReview = (objects: unknown, desiredAPIVersion = 'example.com/v1') => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  request: { uid: 'review-1', desiredAPIVersion, objects },
});

async function serve() {
  const served = await serveWebhooks({ defaulter: { default: (object) => object } });
  served.server.convert(Website);
  const convert = (body: unknown) => served.post(body, { path: '/convert' });
  return { ...served, convert };
}

describe('a review', () => {
  test('returns all objects in the order of the request, including objects that already have the version', async () => {
    const { convert, metricLines } = await serve();
    const [a, b] = [createOld('a'), storedObject(Website, { metadata: { name: 'b' }, spec: { image: 'caddy' } })];
    expect(await convert(createReview([a, b, createOld('c', 'small')]))).toMatchObject({
      code: 200,
      body: {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'ConversionReview',
        response: {
          uid: 'review-1',
          result: { status: 'Success' },
          convertedObjects: [
            { apiVersion: 'example.com/v1', metadata: a.metadata, spec: { image: 'nginx', replicas: 10 } },
            b,
            { metadata: { name: 'c' }, spec: { replicas: 1 } },
          ],
        },
      },
    });
    expect(metricLines).toEqual(['/convert started', '/convert 200 0 ms']);
  });

  test('converts an object without metadata', async () => {
    const { convert } = await serve();
    const { metadata: _, ...object } = createOld('a');
    expect(await convert(createReview([object]))).toMatchObject({
      body: { response: { convertedObjects: [{ apiVersion: 'example.com/v1', spec: { replicas: 10 } }] } },
    });
  });

  const hub = storedObject(Website, { metadata: { name: 'hub' }, spec: { image: 'nginx' } });
  test.each([
    [
      'convert Website default/b from v1alpha1 to v1: spec: Required value',
      [createOld('a'), { ...createOld('b'), spec: null }],
      'example.com/v1',
    ],
    ['Website has no version v3, only v1, v1alpha1', [hub], 'example.com/v3'],
    ['no conversion from example.com/v1 Website to other.com/v1', [hub], 'other.com/v1'],
    [
      'no conversion from example.com/v1 Shelf to example.com/v1alpha1',
      [{ ...hub, kind: 'Shelf' }],
      'example.com/v1alpha1',
    ],
  ])('fails with: %s', async (message, objects, version) => {
    const { convert, log } = await serve();
    const { code, body } = await convert(createReview(objects, version));
    expect(code).toBe(200);
    const result = { status: 'Failure', message };
    expect(body).toMatchObject({ response: { uid: 'review-1', result, convertedObjects: [] } });
    expect(log.errors).toMatchObject([
      { message: 'conversion failed', fields: { webhook: '/convert', version, requestID: 'review-1' } },
    ]);
  });

  test.each([
    ['no JSON', 'hello', 'the body is not a ConversionReview of apiextensions.k8s.io/v1'],
    ['another version', { ...createReview([]), apiVersion: 'apiextensions.k8s.io/v1beta1' }, 'to [v1]'],
    ['no request', { ...createReview([]), request: null }, 'request must have uid'],
    ['no objects', createReview('x'), 'request must have uid'],
    ['an object without a kind', createReview([{ apiVersion: 'example.com/v1' }]), 'must have apiVersion and kind'],
  ])('is rejected with %s', async (_, body, message) => {
    const { convert } = await serve();
    const answer = await convert(body);
    expect(answer).toMatchObject({ code: 400, body: { kind: 'Status', message: expect.stringContaining(message) } });
  });
});

test('the server has no conversion without a registered kind, and the limits of all webhooks', async () => {
  const { post } = await serveWebhooks({ defaulter: { default: (object) => object } });
  expect(await post(createReview([]), { path: '/convert' })).toMatchObject({ code: 404 });
  const { convert } = await serve();
  expect(await convert(' '.repeat(7 * 1024 * 1024 + 1))).toMatchObject({ code: 413 });
});

test('a kind can be registered once, and needs several versions', () => {
  const registry = new WebhookRegistry();
  registry.convert(Website);
  expect(() => registry.convert(Website)).toThrow('conversion of Website: the kind is already registered');
  expect(() => registry.convert(v1alpha1)).toThrow('conversion of Website: the kind has only the version v1alpha1');
});
