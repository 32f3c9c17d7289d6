/** What the server answers when a handler of a kind was asked. */
import { describe, expect, test } from 'vitest';
import { beingDeleted, type Widget, widget, widgetReview } from '../test-support/objects.ts';
import { always, BAD_COLOR, colorValidator, responseTo, serve } from '../test-support/served-webhooks.ts';
import type { AdmissionContext, Defaulter } from './admission.ts';
import { withDefaults } from './draft.ts';

describe('a validator', () => {
  test('lets an object pass, with its warnings', async () => {
    expect(await responseTo({ validator: colorValidator }, widgetReview())).toEqual({
      uid: 'review-1',
      allowed: true,
      warnings: ['red is stored'],
    });
  });

  test('refuses an object in the words of a built-in kind', async () => {
    const review = widgetReview({ object: widget({}, { color: '' }) });
    const message = 'Widget.example.com "a" is invalid: spec.color: Invalid value: "": give one';
    expect(await responseTo({ validator: colorValidator }, review)).toMatchObject({
      allowed: false,
      warnings: ['is stored'],
      status: { code: 422, message, details: { causes: [BAD_COLOR] } },
    });
  });

  test.each([
    ['of the object', widget({ name: 'b' }), 'b'],
    ['that the name of the object will begin with', { ...widget(), metadata: { generateName: 'b-' } }, 'b-'],
    ['of no object whose name is no text', { ...widget(), metadata: { name: { a: 1 }, generateName: 7 } }, ''],
    ['that is empty when there is none at all', { ...widget(), metadata: {} }, ''],
  ])('of a request without a name gives the name %s', async (_, object, name) => {
    const validator = always(async () => ({ errors: [BAD_COLOR], warnings: [] }));
    const response = await responseTo({ validator }, widgetReview({ object, request: { name: '' } }));
    expect(response).toMatchObject({
      status: { message: expect.stringContaining(`"${name}" is invalid`), details: { name } },
    });
  });

  test('has its warnings fitted into what the API server hands on', async () => {
    const validator = always(async () => ({ errors: [], warnings: ['x'.repeat(300)] }));
    expect(await responseTo({ validator }, widgetReview())).toMatchObject({ warnings: [`${'x'.repeat(255)}…`] });
  });

  const refusing = always(async () => ({ errors: [BAD_COLOR], warnings: [] }));

  test('is asked about an object whose time of deletion is null', async () => {
    const object = { ...widget(), metadata: { ...widget().metadata, deletionTimestamp: null } };
    const change = widgetReview({ operation: 'UPDATE', object, oldObject: widget() });
    expect(await responseTo({ validator: refusing }, change)).toMatchObject({ allowed: false });
  });

  test.each([
    [
      'a change of an object that is being deleted',
      { operation: 'UPDATE', object: beingDeleted(widget()), oldObject: widget() },
    ],
    ['a deletion', { operation: 'DELETE', object: null, oldObject: widget() }],
    ['a connection', { operation: 'CONNECT', request: { kind: { group: '', version: 'v1', kind: 'PodExecOptions' } } }],
  ])('is not asked about %s', async (_, review) => {
    expect(await responseTo({ validator: refusing }, widgetReview(review))).toEqual({
      uid: 'review-1',
      allowed: true,
    });
  });
});

describe('a defaulter', () => {
  const blue: Defaulter<Widget> = { default: (object) => withDefaults(object, { spec: { color: 'blue' } }) };
  const colorless = { ...widget(), spec: {} };
  const patchOf = ({ patch }: { patch?: string }) => JSON.parse(Buffer.from(patch ?? '', 'base64').toString());

  test('sends no patch when there is nothing to fill in', async () => {
    const undefinedLabels: Defaulter<Widget> = { default: (object) => ({ ...object, labels: undefined }) };
    for (const defaulter of [blue, undefinedLabels]) {
      expect(await responseTo({ defaulter }, widgetReview())).toEqual({ uid: 'review-1', allowed: true });
    }
  });

  test('may fill in the object itself', async () => {
    const defaulter: Defaulter<Widget> = { default: (object) => Object.assign(object, { spec: { color: 'green' } }) };
    expect(patchOf(await responseTo({ defaulter }, widgetReview()))).toEqual([
      { op: 'replace', path: '/spec/color', value: 'green' },
    ]);
  });

  test('works on changes too, but not on objects that are being deleted', async () => {
    const change = { operation: 'UPDATE', object: colorless, oldObject: widget() };
    expect(patchOf(await responseTo({ defaulter: blue }, widgetReview(change)))).toHaveLength(1);
    const last = widgetReview({ ...change, object: beingDeleted(colorless) });
    expect(await responseTo({ defaulter: blue }, last)).toEqual({ uid: 'review-1', allowed: true });
    const deletion = widgetReview({ operation: 'DELETE', object: null, oldObject: widget() });
    expect(await responseTo({ defaulter: blue }, deletion)).toEqual({ uid: 'review-1', allowed: true });
  });
});

test('a handler is told of the request', async () => {
  const contexts: AdmissionContext[] = [];
  const validator = always(async (context) => {
    contexts.push(context);
    return { errors: [], warnings: [] };
  });
  const { post, clock } = await serve({ validator });
  await clock.advance(1_000);
  const user = { username: 'jane', uid: 'u', groups: ['a'], extra: { 'example.com/team': ['x'] } };
  const request = { userInfo: user, subResource: 'scale', options: { fieldManager: 'kubectl' }, dryRun: true };
  await post(widgetReview({ operation: 'UPDATE', oldObject: widget(), request }));
  expect(contexts).toMatchObject([
    {
      ...{ operation: 'UPDATE', subResource: 'scale', namespace: 'default', user, fieldManager: 'kubectl' },
      ...{ isCallerVerified: false, isDryRun: true, now: clock.now() },
    },
  ]);
});
