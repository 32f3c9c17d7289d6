import { describe, expect, test } from 'vitest';
import { type Widget, widget, widgetReview } from '../test-support/objects.ts';
import {
  address,
  BAD_COLOR,
  colorValidator,
  createValidator,
  getResponse,
  keyPair,
  MUTATE_PATH,
  serveWebhooks,
  VALIDATE_PATH,
} from '../test-support/served-webhooks.ts';
import type { ReviewOptions, ReviewPost } from '../testing/admission-reviews.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import type { AdmissionContext, Defaulter, ValidationResult } from './admission.ts';
import { WebhookServer } from './webhook-server.ts';

const PASS: ValidationResult = { errors: [], warnings: [] };

describe('rejects', () => {
  const validator = colorValidator;
  const createReview = (version: string, kind: string) =>
    widgetReview({ request: { kind: { group: 'example.com', version, kind } } });
  test.each<[code: number, message: string, body: unknown, options?: Partial<ReviewPost>]>([
    [405, 'send reviews with POST', '', { method: 'GET' }],
    [415, 'as application/json', widgetReview(), { headers: { 'content-type': 'application/yaml' } }],
    [415, 'as application/json', '', { headers: { 'content-type': '' } }],
    [400, 'not a JSON object', 'hello'],
    [400, 'is for example.com/v1 Widget, not example.com/v1 Rack: fix the rules', createReview('v1', 'Rack')],
    [400, 'not example.com/v2 Widget', createReview('v2', 'Widget')],
  ])('with %i: %s', async (code, message, body, options) => {
    const { post, metricLines } = await serveWebhooks({ validator });
    const answer = await post(body, options);
    expect(answer).toMatchObject({
      code,
      body: { apiVersion: 'v1', kind: 'Status', status: 'Failure', code, message: expect.stringContaining(message) },
    });
    expect(answer.headers.allow).toBe(code === 405 ? 'POST' : undefined);
    expect(metricLines).toEqual([`${VALIDATE_PATH} started`, `${VALIDATE_PATH} ${code} 0 ms`]);
  });

  test('a path without a webhook', async () => {
    const { post, metricLines } = await serveWebhooks({ validator });
    expect(await post(widgetReview(), { path: MUTATE_PATH })).toMatchObject({ code: 404 });
    expect(metricLines).toEqual([]);
  });

  test('no content type for its case or parameters', async () => {
    const { post } = await serveWebhooks({ validator });
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect(await post(widgetReview(), { headers })).toMatchObject({ code: 200 });
  });

  test('no body up to 7 MiB', async () => {
    const { post } = await serveWebhooks({ validator });
    const review = JSON.stringify(widgetReview());
    const body = review.padEnd(7 * 1024 * 1024, ' ');
    expect(await post(body, { headers: { 'transfer-encoding': 'chunked' } })).toMatchObject({ code: 200 });
    expect(await post(body, { headers: { 'content-length': body.length } })).toMatchObject({ code: 200 });
  });
});

describe('a review', () => {
  test.each<[name: string, review: ReviewOptions, want: object]>([
    ['passes with warnings', {}, { allowed: true, warnings: ['red is stored'] }],
    [
      'is refused in the words of a built-in kind',
      { object: widget({}, { color: '' }) },
      {
        allowed: false,
        warnings: ['is stored'],
        status: {
          code: 422,
          message: 'Widget.example.com "a" is invalid: spec.color: Invalid value: "": give one',
          details: { causes: [BAD_COLOR] },
        },
      },
    ],
    [
      'of a connection passes',
      { operation: 'CONNECT', request: { kind: { group: '', version: 'v1', kind: 'PodExecOptions' } } },
      { allowed: true },
    ],
  ])('%s', async (_, review, want) => {
    expect(await getResponse({ validator: colorValidator }, widgetReview(review))).toMatchObject({
      uid: 'review-1',
      ...want,
    });
  });

  test('without changes has no patch', async () => {
    const defaulter: Defaulter<Widget> = { default: (object) => ({ ...object, labels: undefined }) };
    expect(await getResponse({ defaulter }, widgetReview())).toEqual({ uid: 'review-1', allowed: true });
  });

  test('gets the context of the request', async () => {
    const contexts: AdmissionContext[] = [];
    const validator = createValidator(async (context) => {
      contexts.push(context);
      return PASS;
    });
    const { post, clock } = await serveWebhooks({ validator });
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
});

describe('an object with the maximum nesting', () => {
  const deepList = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  const deepWidget = (depth: number) => ({ ...widget(), spec: { color: '', extra: deepList(depth) } });

  test('is defaulted, also at its deepest level', async () => {
    const defaulter: Defaulter<Widget> = { default: (object) => ({ ...object, spec: deepWidget(100).spec }) };
    const review = widgetReview({ object: deepWidget(490) });
    expect(await getResponse({ defaulter }, review)).toMatchObject({ allowed: true, patch: expect.any(String) });
  });

  test('is validated', async () => {
    const review = widgetReview({ operation: 'UPDATE', object: deepWidget(490), oldObject: deepWidget(490) });
    expect(await getResponse({ validator: colorValidator }, review)).toMatchObject({ allowed: true });
  });
});

describe('when a review fails', () => {
  test('the API server gets the reason as an error status, and it is logged once', async () => {
    const error = new Error('quota server is down');
    const { post, log } = await serveWebhooks({ validator: createValidator(() => Promise.reject(error)) });
    expect(await post(widgetReview())).toMatchObject({
      code: 500,
      body: {
        kind: 'Status',
        status: 'Failure',
        code: 500,
        reason: 'InternalError',
        message: 'vwidget-v1.example.com: review of example.com/v1 Widget failed: quota server is down',
      },
    });
    expect(log.errors).toEqual([
      {
        level: 'error',
        message: 'admission review failed',
        error,
        fields: { webhook: VALIDATE_PATH, operation: 'CREATE', namespace: 'default', name: 'a', requestID: 'review-1' },
      },
    ]);
  });

  test.each([
    ['', 8_000],
    ['?timeout=10s', 8_000],
    ['?timeout=5s', 4_000],
    ['?timeout=1s', 800],
    ['?timeout=30s', 24_000],
    ['?timeout=3600s', 24_000],
    ['?timeout=0s', 8_000],
    ['?timeout=soon', 8_000],
  ])('one that hangs with "%s" ends after %i ms', async (query, limitMs) => {
    const context = Promise.withResolvers<AdmissionContext>();
    const { post, clock, log } = await serveWebhooks({
      validator: createValidator((given) => {
        context.resolve(given);
        return new Promise(() => {});
      }),
    });
    const answer = post(widgetReview(), { path: `${VALIDATE_PATH}${query}` });
    const { signal } = await context.promise;
    await clock.advance(limitMs - 1);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
    expect(await answer).toMatchObject({
      code: 500,
      body: {
        message: `vwidget-v1.example.com: review of example.com/v1 Widget failed: timed out after ${limitMs} ms`,
      },
    });
    expect(log.errors).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  test('one whose client is gone is aborted without an error log', async () => {
    const context = Promise.withResolvers<AdmissionContext>();
    const aborted = Promise.withResolvers<void>();
    const { post, log } = await serveWebhooks({
      validator: createValidator((given) => {
        context.resolve(given);
        given.signal.addEventListener('abort', () => aborted.resolve());
        return new Promise(() => {});
      }),
    });
    const client = new AbortController();
    const answer = post(widgetReview(), { signal: client.signal });
    await context.promise;
    client.abort();
    await expect(answer).rejects.toThrow();
    await aborted.promise;
    await new Promise((resolve) => setImmediate(resolve));
    expect(log.errors).toEqual([]);
    expect(log.records.map(({ message }) => message)).toContain('review aborted: the client closed the connection');
  });
});

test('measures each request from its start to its response', async () => {
  const context = Promise.withResolvers<void>();
  const verdict = Promise.withResolvers<ValidationResult>();
  const { post, clock, metricLines } = await serveWebhooks({
    validator: createValidator(() => {
      context.resolve();
      return verdict.promise;
    }),
  });
  const answer = post(widgetReview());
  await context.promise;
  expect(metricLines).toEqual([`${VALIDATE_PATH} started`]);
  await clock.advance(250);
  verdict.resolve(PASS);
  await answer;
  expect(metricLines).toEqual([`${VALIDATE_PATH} started`, `${VALIDATE_PATH} 200 250 ms`]);
});

test('keeps idle connections for longer than the API server does', async () => {
  const { post } = await serveWebhooks({ validator: colorValidator });
  const { headers } = await post(widgetReview(), { headers: { connection: 'keep-alive' } });
  expect(Number(/timeout=(\d+)/.exec(String(headers['keep-alive']))?.[1])).toBeGreaterThan(90);
});

describe('its health check', () => {
  test('passes exactly while it serves', async () => {
    const log = new RecordingLogger();
    const server = new WebhookServer({ address, keyPair, clock: new FakeClock(), log });
    const stopping = new AbortController();
    expect(server.check()).toBe('the webhook server is not serving');
    const stopped = server.start(stopping.signal);
    await server.port;
    expect(server.check()).toBeUndefined();
    stopping.abort();
    await stopped;
    expect(server.check()).toBe('the webhook server is not serving');
  });

  test('fails without a certificate, and so does the server', async () => {
    const broken = { load: () => Promise.reject(new Error('no tls.crt')) };
    const log = new RecordingLogger();
    const server = new WebhookServer({ address, keyPair: broken, clock: new FakeClock(), log });
    const started = server.start(new AbortController().signal);
    await expect(started).rejects.toMatchObject({ cause: new Error('no tls.crt') });
    await expect(server.port).rejects.toThrow('for webhooks');
    expect(server.check()).toBe('the webhook server is not serving');
  });
});
