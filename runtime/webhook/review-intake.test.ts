import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { ReviewIntake } from './review-intake.ts';

const KIB = 1024;
/** As many as are parsed and answered at once. */
const MAX_REVIEWS = 64;
/** As many of the largest small bodies as have room. */
const SMALL_BODIES = 16;

/** A request whose body is there at once. */
function request(remoteAddress: string, bytes: number): IncomingMessage {
  const headers = { 'content-length': `${bytes}` };
  const body = Readable.from([Buffer.from('{}'.padEnd(bytes))]);
  return Object.assign(body, { headers, socket: { remoteAddress } }) as unknown as IncomingMessage;
}

/** An intake in which every place to be parsed is taken; `end` frees one. `outcomes` are those of the others, as they come. */
async function busyIntake() {
  const intake = new ReviewIntake();
  const { signal } = new AbortController();
  const first = Array.from({ length: MAX_REVIEWS }, () => intake.receive(request('many', 2), signal));
  const [taken] = await Promise.all(first);
  const outcomes: string[] = [];
  const send = (address: string, bytes: number) =>
    intake.receive(request(address, bytes), signal).then((review) => {
      outcomes.push(`${address} ${review.kind === 'received' ? 'received' : review.code}`);
    });
  const end = () => (taken?.kind === 'received' ? taken.done() : undefined);
  return { intake, outcomes, send, end };
}

const turns = async () => {
  for (let count = 0; count < 5; count++) await new Promise((resolve) => setImmediate(resolve));
};

test('reviews that wait for their turn give way to one from an address that has less', async () => {
  const { intake, outcomes, send, end } = await busyIntake();
  for (let index = 0; index < SMALL_BODIES; index++) void send('many', 256 * KIB);
  await turns();
  expect(outcomes).toEqual([]);
  void send('few', KIB);
  await turns();
  expect(outcomes).toEqual(['many 429']);
  end();
  await turns();
  expect(outcomes).toEqual(['many 429', 'few received']);
  expect(intake.heldBytes.bodies).toBe((SMALL_BODIES - 1) * 256 * KIB);
});

test('where one address has all the room, another review from there is refused, and none gives way', async () => {
  const { outcomes, send } = await busyIntake();
  for (let index = 0; index < SMALL_BODIES; index++) void send('many', 256 * KIB);
  await turns();
  await send('many', KIB);
  await turns();
  expect(outcomes).toEqual(['many 429']);
});
