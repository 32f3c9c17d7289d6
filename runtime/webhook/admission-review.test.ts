import { describe, expect, test } from 'vitest';
import { widget, widgetReview } from '../test-support/objects.ts';
import type { ReviewOptions } from '../testing/admission-reviews.ts';
import { decodeReview, encodeReview } from './admission-review.ts';

const decode = (review: unknown) => decodeReview(JSON.stringify(review));
const bodyWith = (differences: object) => JSON.stringify({ ...widgetReview(), ...differences });
const BEYOND_MEASURE = 'x'.repeat(3_000_000);

describe('decoding', () => {
  test('decodes a CREATE', () => {
    expect(decode(widgetReview({ request: { dryRun: true } }))).toEqual({
      kind: 'ok',
      request: {
        uid: 'review-1',
        resource: { group: 'example.com', version: 'v1', kind: 'Widget' },
        operation: { kind: 'CREATE', object: widget() },
        namespace: 'default',
        name: 'a',
        subResource: undefined,
        user: { username: 'tester', uid: '', groups: [], extra: {} },
        fieldManager: undefined,
        isDryRun: true,
      },
    });
  });

  test('decodes both states of an UPDATE', () => {
    const [object, oldObject] = [widget({ name: 'new' }), widget({ name: 'old' })];
    expect(decode(widgetReview({ operation: 'UPDATE', object, oldObject }))).toMatchObject({
      request: { operation: { kind: 'UPDATE', object, old: oldObject }, isDryRun: false },
    });
  });

  test('accepts a request without a name and a namespace', () => {
    const object = { metadata: { generateName: 'a-' } };
    const nameless = widgetReview({ object, request: { name: undefined, namespace: undefined } });
    expect(decode(nameless)).toMatchObject({ kind: 'ok', request: { name: '', namespace: undefined } });
  });

  test('decodes the user, the subresource and the field manager', () => {
    const userInfo = { username: 'jane', uid: 'u', groups: ['a', 'b'], extra: { 'example.com/team': ['x'] } };
    const request = { userInfo, subResource: 'status', options: { fieldManager: 'kubectl' } };
    expect(decode(widgetReview({ request }))).toMatchObject({
      request: { user: userInfo, subResource: 'status', fieldManager: 'kubectl' },
    });
  });

  test.each([undefined, null, 'jane', { username: 1, uid: {}, groups: 'a', extra: [] }, { extra: { a: 1 } }])(
    'decodes no user from %j',
    (userInfo) => {
      const decoded = decode(widgetReview({ request: { userInfo } }));
      expect(decoded).toMatchObject({ request: { user: { username: '', uid: '', groups: [] } } });
    },
  );

  test('decodes the object of a DELETE', () => {
    const oldObject = widget();
    expect(decode(widgetReview({ operation: 'DELETE', object: null, oldObject }))).toMatchObject({
      request: { operation: { kind: 'DELETE', old: oldObject } },
    });
  });

  test.each(['DELETE', 'CONNECT', 'WHATEVER'])('decodes a %s without an object', (operation) => {
    expect(decode(widgetReview({ operation, object: null }))).toMatchObject({
      request: { operation: { kind: 'OTHER' } },
    });
  });

  test.each(['group', 'version', 'kind'])('rejects a kind without %s', (part) => {
    const kind = { group: 'a', version: 'b', kind: 'c', [part]: 1 };
    const message = 'request.kind must have group, version and kind';
    expect(decode(widgetReview({ request: { kind } }))).toEqual({ kind: 'malformed', message });
  });

  test.each<[want: string, body: string]>([
    ['the body is not a JSON object', 'hello'],
    ['the body is not a JSON object', ''],
    ['the body is not a JSON object', '[]'],
    ['the body is not a JSON object', 'null'],
    ['the body has kind (none) and apiVersion (none), ', '{}'],
    ['the body has kind ConversionReview and apiVersion admission', bodyWith({ kind: 'ConversionReview' })],
    [
      'the body has kind AdmissionReview and apiVersion admission.k8s.io/v1beta1, ',
      bodyWith({ apiVersion: 'admission.k8s.io/v1beta1' }),
    ],
    [`the body has kind ${'x'.repeat(253)} and apiVersion admission`, bodyWith({ kind: 'x'.repeat(3_000_000) })],
    ['request is missing', bodyWith({ request: undefined })],
  ])('rejects a body: %s', (want, body) => {
    expect(decodeReview(body)).toMatchObject({ kind: 'malformed', message: expect.stringContaining(want) });
  });

  test('names the setting for the supported version', () => {
    const message = expect.stringContaining('set admissionReviewVersions to [v1]');
    expect(decodeReview('{}')).toMatchObject({ message });
  });

  const [elsewhere, NO_OBJECT] = [widget({ namespace: 'kube-system' }), 'is not an object with metadata'];
  test.each<[want: string, review: ReviewOptions]>([
    ['request.uid is missing', { request: { uid: undefined } }],
    ['request.uid is missing', { request: { uid: '' } }],
    ['request.kind is missing', { request: { kind: undefined } }],
    ['request has a uid with more than 253 characters', { request: { uid: BEYOND_MEASURE } }],
    ['request has a name with more than 253 characters', { request: { name: BEYOND_MEASURE } }],
    ['request has a namespace with more than 253 characters', { request: { namespace: BEYOND_MEASURE } }],
    ['request.namespace differs from the namespace of request.object', { object: elsewhere }],
    ['request.namespace differs from the namespace of request.object', { request: { namespace: undefined } }],
    [
      'request.namespace differs from the namespace of request.oldObject',
      { operation: 'DELETE', object: null, oldObject: elsewhere },
    ],
    ['request.operation is missing', { request: { operation: undefined } }],
    [`request.object ${NO_OBJECT}`, { object: null }],
    [`request.object ${NO_OBJECT}`, { object: {} }],
    [`request.object ${NO_OBJECT}`, { operation: 'UPDATE', object: null, oldObject: widget() }],
    [`request.oldObject ${NO_OBJECT}`, { operation: 'UPDATE' }],
  ])('rejects a review: %s', (message, review) => {
    expect(decode(widgetReview(review))).toEqual({ kind: 'malformed', message });
  });
});

describe('encoding', () => {
  test('a response has the uid and no empty fields', () => {
    expect(encodeReview('u', { allowed: true, warnings: [], patch: [] })).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u', allowed: true },
    });
  });

  test('a patch is base64 of JSON', () => {
    const patch = [{ op: 'add', path: '/spec/ü', value: '🙂' }] as const;
    expect(encodeReview('u', { allowed: true, patch })).toMatchObject({
      response: { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch), 'utf8').toString('base64') },
    });
  });
});
