import { expect, test } from 'vitest';
import type { ApiRequest, Transport } from '../client/transport.ts';
import { LeaseServer, startCandidate } from '../test-support/lease-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { createFencedTransport } from './fenced-transport.ts';
import { LeadershipLostError } from './leader-elector.ts';

/** A stopped process: when it continues, time has passed, but no timer has fired yet. */
class StoppableClock extends FakeClock {
  #stoppedMs = 0;

  stopFor(ms: number): void {
    this.#stoppedMs += ms;
  }

  override monotonicMs(): number {
    return super.monotonicMs() + this.#stoppedMs;
  }
}

test('throwIfLeaseExpired does not throw before a process leads, nor while it renews', async () => {
  const server = new LeaseServer();
  const clock = new FakeClock();
  server.put({ holderIdentity: 'other', leaseDurationSeconds: 15 });
  const { elector } = startCandidate(server, clock, 'a');
  for (let second = 0; second < 60; second++) {
    elector.throwIfLeaseExpired();
    await clock.advance(1000);
  }
});

test('a leader that was suspended past its renewal deadline is stale at once, before any timer', async () => {
  const clock = new StoppableClock();
  const { elector } = startCandidate(new LeaseServer(), clock, 'a');
  await clock.advance(0);
  clock.stopFor(9_999);
  elector.throwIfLeaseExpired();
  clock.stopFor(1);
  expect(() => elector.throwIfLeaseExpired()).toThrow(LeadershipLostError);
});

test('a leader whose machine slept is stale until it renews', async () => {
  const clock = new FakeClock();
  const { elector, events } = startCandidate(new LeaseServer(), clock, 'a');
  await clock.advance(0);
  clock.jumpTo(clock.now().getTime() + 15_000);
  expect(() => elector.throwIfLeaseExpired()).toThrow(LeadershipLostError);
  await clock.advance(2_000);
  elector.throwIfLeaseExpired();
  expect(events).toEqual(['0s leading', '0s work starts']);
});

test('a leader that lost the lease stays stale', async () => {
  const server = new LeaseServer();
  const clock = new FakeClock();
  const { elector, endWork } = startCandidate(server, clock, 'a');
  await clock.advance(0);
  server.put({ holderIdentity: 'thief' });
  await clock.advance(2_000);
  endWork();
  expect(() => elector.throwIfLeaseExpired()).toThrow('the lease is held by "thief"');
});

test('checks writes, but not reads, dry runs or watches', async () => {
  const checkedRequests: string[] = [];
  const inner: Transport = {
    async request({ method, path, beforeSend }) {
      beforeSend?.();
      return `${method} ${path}`;
    },
    stream: async () => (async function* () {})(),
  };
  const transport = createFencedTransport(inner, () => checkedRequests.push('asked'));
  const send = (method: ApiRequest['method'], query: ApiRequest['query'] = {}) =>
    transport.request({ method, path: '/jobs', query });
  expect(await send('GET')).toBe('GET /jobs');
  await send('POST', { dryRun: 'All' });
  await transport.stream({ method: 'GET', path: '/jobs' });
  expect(checkedRequests).toEqual([]);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) await send(method);
  expect(checkedRequests).toHaveLength(4);
});
