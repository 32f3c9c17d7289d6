import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { RequestLimiterHarness } from '../test-support/request-limiter-harness.ts';
import { RequestLimiter, type RequestPriority } from './request-limiter.ts';

test('limits waiting requests, and sends requests of other namespaces while there are seats', async () => {
  const limiter = new RequestLimiter(8, 1);
  const send = (namespace: string) => limiter.run({ namespace }, () => new Promise<never>(() => {}));
  const inFlight = [send('a'), send('a')];
  const waiting = send('a');
  await expect(send('a')).rejects.toThrow('too many requests are waiting');
  const other = send('b');
  expect(await Promise.race([...inFlight, waiting, other, Promise.resolve('none ended')])).toBe('none ended');
});

describe('a request whose signal aborts', () => {
  const reason = new Error('enough');

  test('is not sent when the signal had aborted before, and takes no seat', async () => {
    const scene = new RequestLimiterHarness(1);
    await expect(scene.send('a', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    void scene.send('b');
    expect(scene.sent).toEqual(['b']);
  });

  test('is not sent when the signal aborts as the request gets a seat, and passes the seat on', async () => {
    const scene = new RequestLimiterHarness(1);
    const stop = new AbortController();
    void scene.send('a');
    const rejection = expect(scene.send('b', { signal: stop.signal })).rejects.toBe(reason);
    void scene.send('c');
    void scene.inFlight.get('a')!.promise.then(() => stop.abort(reason));
    await scene.respond('a');
    await rejection;
    expect(scene.sent).toEqual(['a', 'c']);
  });

  test('is removed with all others of that signal, which has one listener', async () => {
    const scene = new RequestLimiterHarness(1);
    const stop = new AbortController();
    void scene.send('a');
    const waiting = ['b', 'c', 'd'].map((name) => scene.send(name, { signal: stop.signal }));
    void scene.send('e', { signal: new AbortController().signal });
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
    stop.abort(reason);
    for (const each of waiting) await expect(each).rejects.toBe(reason);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    await scene.respond('a');
    expect(scene.sent).toEqual(['a', 'e']);
  });
});

describe('a namespace whose requests hang', () => {
  const LIMIT = 64;
  /** Starts `count` requests that do not complete. Returns the number of sent requests. */
  function startHangingRequests(
    scene: RequestLimiterHarness,
    namespace: string,
    count: number,
    priority: RequestPriority = 'urgent',
  ): number {
    const before = scene.inFlight.size;
    for (let i = 0; i < count; i++) void scene.send(`${namespace} ${priority} ${i}`, { namespace, priority });
    return scene.inFlight.size - before;
  }

  test('gets only its share of seats, and fewer for less urgent requests', () => {
    expect(startHangingRequests(new RequestLimiterHarness(LIMIT), 'a', 96)).toBe(16);
    expect(startHangingRequests(new RequestLimiterHarness(LIMIT), 'a', 96, 'normal')).toBe(11);
    expect(startHangingRequests(new RequestLimiterHarness(LIMIT), 'a', 96, 'background')).toBe(7);
  });
});

describe('a namespace with waiting urgent requests', () => {
  /** Creates a limiter with one request of each priority in flight, and with many urgent requests that wait. */
  function createBusyLimiter(): RequestLimiterHarness {
    const scene = new RequestLimiterHarness(8);
    for (let i = 0; i < 40; i++) void scene.send(`run ${i}`, { namespace: 'a', priority: 'urgent' });
    void scene.send('status', { namespace: 'a', priority: 'normal' });
    void scene.send('event', { namespace: 'a', priority: 'background' });
    return scene;
  }

  test('sends the first less urgent request after sixteen urgent ones, and the next after sixteen more', async () => {
    const scene = createBusyLimiter();
    expect(scene.sent.slice(2), 'none has ended, so they may hang').toEqual(['status', 'event']);
    await scene.respond('event');
    void scene.send('event 2', { namespace: 'a', priority: 'background' });
    expect(scene.sent, 'still none has ended').toContain('event 2');
    await scene.respond('event 2');
    await scene.respond('run 0');
    void scene.send('event 3', { namespace: 'a', priority: 'background' });
    for (let i = 1; i < 15; i++) await scene.respond(`run ${i}`);
    expect(scene.sent).not.toContain('event 3');
    await scene.respond('run 15');
    expect(scene.sent).toContain('event 3');
    await scene.respond('event 3');
    void scene.send('event 4', { namespace: 'a', priority: 'background' });
    expect(scene.sent, 'none has ended since the last event').toContain('event 4');
  });

  test('sends it when no urgent request waits any more, also after an abort', async () => {
    const scene = new RequestLimiterHarness(8);
    const stop = new AbortController();
    for (let i = 0; i < 4; i++) {
      scene.send(`run ${i}`, { namespace: 'a', priority: 'urgent', signal: stop.signal }).catch(() => undefined);
    }
    await scene.respond('run 0');
    void scene.send('status', { namespace: 'a' });
    expect(scene.sent).toEqual(['run 0', 'run 1', 'run 2']);
    stop.abort();
    await expect.poll(() => scene.sent).toEqual(['run 0', 'run 1', 'run 2', 'status']);
  });

  test('does not delay other namespaces', async () => {
    const scene = createBusyLimiter();
    await scene.respond('run 0');
    void scene.send('event of b', { namespace: 'b', priority: 'background' });
    expect(scene.sent).toContain('event of b');
  });
});
