/** A webhook server for Widgets with a clock that the test controls, and a client that sends reviews. */
import { expect, onTestFinished } from 'vitest';
import { postReview, type ReviewPost } from '../testing/admission-reviews.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import { createSelfSignedKeyPair } from '../tls/self-signed-key-pair.ts';
import type { AdmissionContext, CreateOrUpdateValidator, Defaulter, ValidationResult } from '../webhook/admission.ts';
import { WebhookServer } from '../webhook/webhook-server.ts';
import { type Widget, widgets } from './objects.ts';

export const MUTATE_PATH = '/mutate-example-com-v1-widget';
export const VALIDATE_PATH = '/validate-example-com-v1-widget';
export const BAD_COLOR = { reason: 'FieldValueInvalid', field: 'spec.color', message: 'Invalid value: "": give one' };

export const keyPair = { load: () => createSelfSignedKeyPair(['127.0.0.1'], new Date()) };
export const address = { kind: 'listen', host: '127.0.0.1', port: 0 } as const;

/** Rejects an empty color and a change of the color. The warnings show which arguments the handlers have received. */
export const colorValidator: CreateOrUpdateValidator<Widget> = {
  validateCreate: async ({ spec }, { isDryRun }) => ({
    errors: spec.color === '' ? [BAD_COLOR] : [],
    warnings: [`${spec.color} is ${isDryRun ? 'tried' : 'stored'}`],
  }),
  validateUpdate: async ({ spec }, old) => ({
    errors: spec.color === old.spec.color ? [] : [BAD_COLOR],
    warnings: [`${old.spec.color} becomes ${spec.color}`],
  }),
};

export const createValidator = (
  work: (context: AdmissionContext) => Promise<ValidationResult>,
): CreateOrUpdateValidator<Widget> => ({
  validateCreate: (_, context) => work(context),
  validateUpdate: (_, __, context) => work(context),
});

interface WebhookFunctions {
  readonly validator?: CreateOrUpdateValidator<Widget>;
  readonly defaulter?: Defaulter<Widget>;
}

export async function serveWebhooks({ validator, defaulter }: WebhookFunctions) {
  const clock = new FakeClock();
  const log = new RecordingLogger();
  const metricLines: string[] = [];
  const metrics = {
    webhook: (path: string) => ({
      started: () => void metricLines.push(`${path} started`),
      responded: (code: number, durationMs: number) => void metricLines.push(`${path} ${code} ${durationMs} ms`),
    }),
  };
  const server = new WebhookServer({ address, keyPair, clock, log, metrics });
  server.for(widgets, { ...validator, ...defaulter });
  const stopping = new AbortController();
  const stopped = server.start(stopping.signal);
  onTestFinished(() => {
    stopping.abort();
    return stopped;
  });
  const port = await server.port;
  const post = (body: unknown, options: Partial<ReviewPost> = {}) =>
    postReview({ port, path: validator ? VALIDATE_PATH : MUTATE_PATH, body, ...options });
  return { server, clock, log, metricLines: metricLines, post };
}

/** Returns the response to a review. */
export async function getResponse(webhookFunctions: Parameters<typeof serveWebhooks>[0], review: unknown) {
  const { post } = await serveWebhooks(webhookFunctions);
  const { code, body } = await post(review);
  expect(code).toBe(200);
  return (body as { response: Record<string, unknown> & { patch?: string } }).response;
}
