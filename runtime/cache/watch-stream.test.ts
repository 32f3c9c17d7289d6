import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidResponseError } from '../client/errors.ts';
import type { Clock } from '../clock/clock.ts';
import { MAX_BLOCKING_MS, yieldToEventLoop } from '../clock/yielding-loop.ts';
import { type Widget, widget } from '../test-support/objects.ts';
import { tickingClock } from '../test-support/ticking-clock.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { readWatchEvents, type WatchEvent } from './watch-stream.ts';

const clock = new FakeClock();

async function* arriving(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function read(...chunks: readonly (string | Uint8Array)[]): Promise<WatchEvent<Widget>[]> {
  const events: WatchEvent<Widget>[] = [];
  const bytes = arriving(chunks.map((chunk) => Buffer.from(chunk)));
  for await (const event of readWatchEvents<Widget>(bytes, clock)) events.push(event);
  return events;
}

const added: WatchEvent<Widget> = { type: 'ADDED', object: widget({ name: 'a' }, { color: 'röd 赤 🔴' }) };
const modified: WatchEvent<Widget> = { type: 'MODIFIED', object: widget({ name: 'b' }) };
const bookmark: WatchEvent<Widget> = { type: 'BOOKMARK', object: { metadata: widget().metadata } };
const events = [added, modified, bookmark];
const line = (event: unknown) => `${JSON.stringify(event)}\n`;
const bytes = Buffer.from(events.map(line).join(''));

describe('yields the same events', () => {
  test('for any split of the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(await read(...chunks)).toEqual(events);
      }),
    );
  });

  test('with empty lines', async () => {
    expect(await read('\n', line(added), '\n\n', line(modified))).toEqual([added, modified]);
  });
});

describe('an event with a known version', () => {
  const { object } = modified;
  const storedForm = { ...object, spec: { color: 'as it is kept' } };
  const findByVersion = (version: string) => (version === object.metadata.resourceVersion ? storedForm : undefined);

  async function first(text: string): Promise<WatchEvent<Widget> | undefined> {
    const { value } = await readWatchEvents<Widget>(arriving([Buffer.from(text)]), clock, findByVersion).next();
    return value ?? undefined;
  }

  test.each(['ADDED', 'MODIFIED'] as const)('is not parsed: %s', async (type) => {
    const event = await first(line({ type, object }));
    expect(event?.type).toBe(type);
    expect(event?.object).toBe(storedForm);
  });

  test('is recognized for any split of the bytes', async () => {
    const text = Buffer.from(line(modified));
    for (let at = 1; at < text.length; at++) {
      const chunks = arriving([text.subarray(0, at), text.subarray(at)]);
      const { value } = await readWatchEvents<Widget>(chunks, clock, findByVersion).next();
      expect(value?.object).toBe(storedForm);
    }
  });

  const { metadata } = object;
  test.each([
    ['of a deletion', { type: 'DELETED', object }],
    ['of a bookmark', { type: 'BOOKMARK', object: { metadata } }],
    ['of another object', { type: 'MODIFIED', object: { ...object, metadata: { ...metadata, uid: 'x' } } }],
    [
      'that a label could have made up',
      {
        type: 'MODIFIED',
        object: {
          ...object,
          metadata: { labels: { resourceVersion: metadata.resourceVersion }, ...metadata, resourceVersion: '999' },
        },
      },
    ],
    [
      'that is longer',
      {
        type: 'MODIFIED',
        object: { ...object, metadata: { ...metadata, resourceVersion: `${metadata.resourceVersion}0` } },
      },
    ],
  ])('is parsed if it is an event %s', async (_, event) => {
    expect(await first(line(event))).toEqual(event);
  });

  test('is parsed if its JSON has another form', async () => {
    expect(await first(`${JSON.stringify(modified, undefined, 1).replaceAll('\n', ' ')}\n`)).toEqual(modified);
  });
});

test('drops null from every event', async () => {
  const { object } = added;
  const given = { ...object, metadata: { ...object.metadata, labels: null, finalizers: [null] } };
  const want = { ...object, metadata: { ...object.metadata, finalizers: [] } };
  expect(await read(line({ type: 'ADDED', object: given }))).toStrictEqual([{ type: 'ADDED', object: want }]);
});

test('drops an incomplete last line', async () => {
  expect(await read(line(added), line(modified).slice(0, -1))).toEqual([added]);
});

test('yields each event as soon as its line is complete', async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const next = readWatchEvents<Widget>(readable, clock).next();
  await Promise.all([writer.write(Buffer.from(`${line(added)}{"type":`)), next]);
  expect((await next).value).toEqual(added);
});

test('throws an ApiError for an ERROR event', async () => {
  const expired = { type: 'ERROR', object: { code: 410, reason: 'Expired', message: 'too old resource version' } };
  await expect(read(line(added), line(expired))).rejects.toMatchObject({
    name: 'ApiError',
    code: 410,
    reason: 'Expired',
    message: 'too old resource version',
  });
});

test.each([
  ['is empty', {}],
  ['has fields of other types', { code: '410', reason: 5, message: { a: 1 }, details: 'x' }],
  ['has details of other types', { code: 4.5, details: { causes: 'x', retryAfterSeconds: 'soon' } }],
])('throws a 500 for an ERROR event whose Status %s', async (_, object) => {
  await expect(read(line({ type: 'ERROR', object }))).rejects.toMatchObject({
    ...{ code: 500, reason: '', causes: [], retryAfterMs: undefined },
    message: 'the API server returned 500',
  });
});

test.each([
  ['HTML', '<html>'],
  ['half an event', '{"type":"ADDED","object":'],
  ['a number', '5'],
  ['a list', '[]'],
  ['JSON of others', '{"error":"login"}'],
  ['an event of another type', '{"type":"NEWS","object":{"metadata":{}}}'],
  ['an event without an object', '{"type":"ADDED"}'],
  ['an event whose object has no metadata', '{"type":"ADDED","object":{"kind":"Widget"}}'],
  ['an event whose object has no name', '{"type":"ADDED","object":{"metadata":{"uid":"1"}}}'],
  ['a deletion whose object has a name that is a number', '{"type":"DELETED","object":{"metadata":{"name":1}}}'],
  ['a bookmark whose object has metadata that are text', '{"type":"BOOKMARK","object":{"metadata":"a"}}'],
  ['a bookmark whose object is text', '{"type":"BOOKMARK","object":"a"}'],
  ['an error without a Status', '{"type":"ERROR","object":"gone"}'],
])('a line that is %s is an error, after the events before it', async (_, text) => {
  const stream = readWatchEvents<Widget>(arriving([Buffer.from(`${line(added)}${text}\n`)]), clock);
  expect((await stream.next()).value).toEqual(added);
  const error: Error = await stream.next().then(
    () => expect.unreachable(),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(InvalidResponseError);
  expect(error.message).not.toContain(text);
});

describe('a long response', () => {
  const lines = Buffer.from(line(modified).repeat(1000));

  /** Number of events per turn of the event loop. */
  async function seenInTurns(reader: Clock): Promise<number[]> {
    const turns = [0];
    let hasEnded = false;
    const count = async () => {
      while (!hasEnded) {
        await yieldToEventLoop();
        turns.push(0);
      }
    };
    const counting = count();
    for await (const _ of readWatchEvents(arriving([lines]), reader)) turns[turns.length - 1] = (turns.at(-1) ?? 0) + 1;
    hasEnded = true;
    await counting;
    return turns.filter((seen) => seen > 0);
  }

  test('yields to timers and other sockets', async () => {
    const turns = await seenInTurns(tickingClock());
    expect(turns.length).toBe(1000 / MAX_BLOCKING_MS);
    expect(new Set(turns)).toEqual(new Set([MAX_BLOCKING_MS]));
  });

  test('does not yield if it is fast', async () => {
    expect(await seenInTurns(clock)).toEqual([1000]);
  });
});
