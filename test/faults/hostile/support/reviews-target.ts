/** Admission reviews with arbitrary bytes, sent to the webhooks of CronJobs over TLS. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type Agent, request as httpsRequest } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import { admissionReview } from 'controller-runtime/testing';
import fc from 'fast-check';
import { GROUP, KIND, VERSION } from '../../../../api/v1/groupversion.ts';
import { CRON_JOB_TEXTS } from './cron-job-texts.ts';
import { anyValue, applyEdits, editsWith, type JsonEdit } from './json.ts';
import type { AsyncAttackTarget } from './target.ts';

interface ReviewInput {
  readonly isMutating: boolean;
  readonly base: number;
  readonly edits: readonly JsonEdit[];
  /** Positions that get another byte, in thousandths. */
  readonly flips: readonly (readonly [place: number, byte: number])[];
  /** The part of the body that is sent, in thousandths. */
  readonly part: number;
}

const permille = fc.nat(999);

const inputs: fc.Arbitrary<ReviewInput> = fc.record({
  isMutating: fc.boolean(),
  base: fc.nat(CRON_JOB_TEXTS.length * 3 - 1),
  edits: editsWith(anyValue, 4),
  flips: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    fc.array(fc.tuple(permille, fc.nat(255)), { maxLength: 2 }),
  ),
  part: fc.oneof({ weight: 9, arbitrary: fc.constant(1000) }, permille),
});

const BASES: readonly string[] = CRON_JOB_TEXTS.flatMap((text) => {
  const object = JSON.parse(text);
  const kind = { group: GROUP, version: VERSION, kind: KIND };
  return [
    admissionReview({ object, request: { kind } }),
    admissionReview({ operation: 'UPDATE', object, oldObject: object, request: { kind } }),
    admissionReview({ operation: 'DELETE', object: null, oldObject: object, request: { kind } }),
  ].map((review) => JSON.stringify(review));
});

/** Malformed, too large, too busy; no other response is expected. */
const CODES = [200, 400, 413, 429];
const MAX_RESPONSE_LENGTH = 300_000;
const SUFFIX = 'batch-tutorial-kubebuilder-io-v1-cronjob';

interface ReviewResponse {
  readonly code: number;
  readonly text: string;
}

interface ReviewServer {
  readonly port: number;
  readonly agent: Agent;
}

/** @param server A webhook server with the webhooks of CronJobs. */
export async function createReviewsTarget(server: ReviewServer): Promise<AsyncAttackTarget<ReviewInput>> {
  const firstResponses = await Promise.all([true, false].map((isMutating) => fetchGoodResponse(server, isMutating)));
  let count = 0;
  return {
    name: 'admission reviews',
    inputs,
    check: async (input) => {
      const response = await send(server, input.isMutating, createBody(input));
      if (!isTooLate(response)) checkAnswer(response, input);
      if (++count % 10 > 0) return;
      const laterResponses = await Promise.all(
        [true, false].map((isMutating) => fetchGoodResponse(server, isMutating)),
      );
      if (!isDeepStrictEqual(laterResponses, firstResponses))
        throw new Error(`a good review gets ${JSON.stringify(laterResponses)}`);
    },
    format: (input) => `${input.isMutating ? 'mutate' : 'validate'} ${createBody(input).toString('latin1')}`,
  };
}

function createBody({ base, edits, flips, part }: ReviewInput): Buffer {
  const body = Buffer.from(JSON.stringify(applyEdits(BASES[base] ?? '', edits)));
  const bytes = body.subarray(0, Math.ceil((body.length * part) / 1000));
  for (const [position, byte] of flips)
    if (bytes.length > 0) bytes[Math.floor((bytes.length * position) / 1000)] = byte;
  return bytes;
}

/** Retries as often as necessary, because a busy machine may not handle a review in time. */
async function fetchGoodResponse(server: ReviewServer, isMutating: boolean): Promise<ReviewResponse> {
  const response = await send(server, isMutating, Buffer.from(BASES[0] ?? ''));
  return isTooLate(response) || isUnchecked(response) ? fetchGoodResponse(server, isMutating) : response;
}

/** The webhook has stopped the review before the API server would. */
function isTooLate({ code, text }: ReviewResponse): boolean {
  return code === 500 && text.includes('timed out after');
}

/** The response has a warning, because the API server has not checked the Job template in time. */
function isUnchecked({ text }: ReviewResponse): boolean {
  return text.includes('could not check spec.jobTemplate: not done within');
}

/** A server may close a connection at the moment of its reuse, so a client tries again. A server that always does so fails. */
const MAX_ATTEMPTS = 5;

async function send(server: ReviewServer, isMutating: boolean, body: Uint8Array, attempt = 1): Promise<ReviewResponse> {
  try {
    return await sendOnce(server, isMutating, body);
  } catch (error) {
    const isReset = (error as NodeJS.ErrnoException).code === 'ECONNRESET'; // anything else is thrown
    if (!isReset || attempt === MAX_ATTEMPTS) throw error;
    return await send(server, isMutating, body, attempt + 1);
  }
}

async function sendOnce({ port, agent }: ReviewServer, isMutating: boolean, body: Uint8Array): Promise<ReviewResponse> {
  const path = `/${isMutating ? 'mutate' : 'validate'}-${SUFFIX}`;
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const request = httpsRequest({ host: '127.0.0.1', port, path, method: 'POST', headers, agent });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { code: response.statusCode ?? 0, text: Buffer.concat(await response.toArray()).toString() };
}

function checkAnswer({ code, text }: ReviewResponse, input: ReviewInput): void {
  if (!CODES.includes(code)) throw new Error(`unexpected status ${code}: ${text.slice(0, 1000)}`);
  if (text.length > MAX_RESPONSE_LENGTH) throw new Error(`a response of ${text.length} characters`);
  const { response, message } = JSON.parse(text);
  if (code !== 200) {
    if (typeof message !== 'string' || message === '') throw new Error(`${code} without a reason: ${text}`);
    return;
  }
  if (typeof response.uid !== 'string' || typeof response.allowed !== 'boolean') throw new Error(`answered ${text}`);
  if (!response.allowed && !response.status?.message) throw new Error(`refused without a reason: ${text}`);
  if (response.patch !== undefined) checkPatch(Buffer.from(response.patch, 'base64').toString(), input);
}

/** Sets or removes fields of metadata and spec that are absent or null, and does not change other fields. */
function checkPatch(text: string, input: ReviewInput): void {
  if (!input.isMutating) throw new Error('a validating webhook answered with a patch');
  const { object } = JSON.parse(createBody(input).toString()).request;
  const operations: readonly { readonly path: string }[] = JSON.parse(text);
  for (const { path } of operations) {
    const [, ...names] = path.split('/');
    const value = names.reduce((holder, name) => holder?.[name] ?? null, object);
    if (!/^(metadata|spec)$/.test(names[0] ?? '') || value !== null) throw new Error(`a patch: ${text}`);
  }
}
