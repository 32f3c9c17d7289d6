import { describe, expect, test } from 'vitest';
import { widget, widgetReview } from '../test-support/objects.ts';
import { decodeReview, encodeReview } from './admission-review.ts';

const decode = (review: unknown) => decodeReview(JSON.stringify(review));

describe('decoding', () => {
  test('takes what the decision needs from the creation of an object', () => {
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

  test('takes both states of an object that is changed', () => {
    const [object, oldObject] = [widget({ name: 'new' }), widget({ name: 'old' })];
    expect(decode(widgetReview({ operation: 'UPDATE', object, oldObject }))).toMatchObject({
      request: { operation: { kind: 'UPDATE', object, old: oldObject }, isDryRun: false },
    });
  });

  test('makes do without a name and a namespace', () => {
    const object = { metadata: { generateName: 'a-' } };
    const nameless = widgetReview({ object, request: { name: undefined, namespace: undefined } });
    expect(decode(nameless)).toMatchObject({ kind: 'ok', request: { name: '', namespace: undefined } });
  });

  test('takes who asks, for what part and as which manager', () => {
    const userInfo = { username: 'jane', uid: 'u', groups: ['a', 'b'], extra: { 'example.com/team': ['x'] } };
    const request = { userInfo, subResource: 'status', options: { fieldManager: 'kubectl' } };
    expect(decode(widgetReview({ request }))).toMatchObject({
      request: { user: userInfo, subResource: 'status', fieldManager: 'kubectl' },
    });
  });

  test.each([undefined, null, 'jane', { username: 1, uid: {}, groups: 'a', extra: [] }, { extra: { a: 1 } }])(
    'takes nobody from %j',
    (userInfo) => {
      const decoded = decode(widgetReview({ request: { userInfo } }));
      expect(decoded).toMatchObject({ request: { user: { username: '', uid: '', groups: [] } } });
    },
  );

  test('takes from a deletion what is deleted', () => {
    const oldObject = widget();
    expect(decode(widgetReview({ operation: 'DELETE', object: null, oldObject }))).toMatchObject({
      request: { operation: { kind: 'DELETE', old: oldObject } },
    });
  });

  test.each(['DELETE', 'CONNECT', 'WHATEVER'])('of a %s of nothing it takes no object', (operation) => {
    expect(decode(widgetReview({ operation, object: null }))).toMatchObject({
      request: { operation: { kind: 'OTHER' } },
    });
  });

  test.each(['group', 'version', 'kind'])('refuses a kind without %s', (part) => {
    const kind = { group: 'a', version: 'b', kind: 'c', [part]: 1 };
    const message = 'request.kind must have group, version and kind';
    expect(decode(widgetReview({ request: { kind } }))).toEqual({ kind: 'malformed', message });
  });

  test.each<[name: string, body: unknown, want: string | RegExp]>([
    ['no JSON', 'hello', 'the body is not a JSON object'],
    ['nothing', '', 'the body is not a JSON object'],
    ['a list', '[]', 'the body is not a JSON object'],
    ['null', 'null', 'the body is not a JSON object'],
    [
      'another version',
      { ...widgetReview(), apiVersion: 'admission.k8s.io/v1beta1' },
      /AdmissionReview of admission.k8s.io\/v1beta1, but .* set admissionReviewVersions to \[v1\]/,
    ],
    ['another kind', { ...widgetReview(), kind: 'ConversionReview' }, /^the body is ConversionReview of/],
    ['an empty object', {}, /^the body is something of no version/],
    ['no request', { ...widgetReview(), request: undefined }, 'request is missing'],
    ['no uid', widgetReview({ request: { uid: undefined } }), 'request.uid is missing'],
    ['an empty uid', widgetReview({ request: { uid: '' } }), 'request.uid is missing'],
    ['no kind', widgetReview({ request: { kind: undefined } }), 'request.kind is missing'],
    ...(['uid', 'name', 'namespace'] as const).map((name): [string, unknown, string] => [
      `a ${name} beyond measure`,
      widgetReview({ request: { [name]: 'x'.repeat(3_000_000) } }),
      `request has a ${name} of more than 253 characters`,
    ]),
    ['a kind beyond measure', { ...widgetReview(), kind: 'x'.repeat(3_000_000) }, /^the body is x{253} of admission/],
    [
      'an object of another namespace than that of the request',
      widgetReview({ object: widget({ namespace: 'kube-system' }) }),
      'request.namespace is not that of request.object',
    ],
    [
      'an object with a namespace when the request has none',
      widgetReview({ request: { namespace: undefined } }),
      'request.namespace is not that of request.object',
    ],
    [
      'a deletion in another namespace than that of the request',
      widgetReview({ operation: 'DELETE', object: null, oldObject: widget({ namespace: 'kube-system' }) }),
      'request.namespace is not that of request.oldObject',
    ],
    ['no operation', widgetReview({ request: { operation: undefined } }), 'request.operation is missing'],
    ['a creation of nothing', widgetReview({ object: null }), 'request.object is not an object with metadata'],
    ['an object without metadata', widgetReview({ object: {} }), 'request.object is not an object with metadata'],
    [
      'a change to nothing',
      widgetReview({ operation: 'UPDATE', object: null, oldObject: widget() }),
      'request.object is not an object with metadata',
    ],
    [
      'a change from nothing',
      widgetReview({ operation: 'UPDATE' }),
      'request.oldObject is not an object with metadata',
    ],
  ])('refuses %s', (_, body, want) => {
    const decoded = decodeReview(typeof body === 'string' ? body : JSON.stringify(body));
    expect(decoded).toEqual({
      kind: 'malformed',
      message: typeof want === 'string' ? want : expect.stringMatching(want),
    });
  });
});

describe('encoding', () => {
  test('an answer has the uid and nothing that is empty', () => {
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
