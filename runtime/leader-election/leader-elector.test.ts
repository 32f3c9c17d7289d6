import { describe, expect, test } from 'vitest';
import { discardLogger } from '../log/logger.ts';
import { key, LeaseServer, startCandidate, startElection } from '../test-support/lease-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { LeaderElector } from './leader-elector.ts';

describe('acquire', () => {
  test('creates a missing lease', async () => {
    const { server, clock, a } = startElection('2030-01-01T00:00:00.123Z');
    await clock.advance(0);
    expect(a.events).toEqual(['0s leading', '0s work starts']);
    expect(server.lease?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2030-01-01T00:00:00.123000Z',
      renewTime: '2030-01-01T00:00:00.123000Z',
      leaseTransitions: 0,
    });
  });

  test('acquires a released lease at once and counts the transition', async () => {
    const server = new LeaseServer();
    server.put({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 4 });
    const clock = new FakeClock();
    startCandidate(server, clock, 'a');
    await clock.advance(0);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 5 });
  });

  test('waits a whole lease duration on its own clock, whatever the times in the lease', async () => {
    const server = new LeaseServer();
    server.put({ holderIdentity: 'dead', leaseDurationSeconds: 15, renewTime: '1999-01-01T00:00:00.000000Z' });
    const clock = new FakeClock('2030-01-01');
    const a = startCandidate(server, clock, 'a');
    await clock.advance(14_000);
    expect(a.events).toEqual([]);
    await clock.advance(2_000);
    expect(a.events).toEqual(['16s leading', '16s work starts']);
  });

  test('waits for the lease duration of the holder, not its own', async () => {
    const server = new LeaseServer();
    server.put({ holderIdentity: 'slow', leaseDurationSeconds: 60 });
    const clock = new FakeClock();
    const a = startCandidate(server, clock, 'a');
    await clock.advance(58_000);
    expect(a.events).toEqual([]);
    await clock.advance(2_000);
    expect(a.events[0]).toBe('60s leading');
  });

  test('lets exactly one of two candidates acquire a free lease', async () => {
    const server = new LeaseServer();
    server.put({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
    const clock = new FakeClock();
    const [a, b] = [startCandidate(server, clock, 'a'), startCandidate(server, clock, 'b')];
    await clock.advance(10_000);
    expect([...a.events, ...b.events]).toEqual(['0s leading', '0s work starts']);
    expect(server.lease?.spec?.leaseTransitions).toBe(1);
  });

  test('ignores a jump of the wall clock', async () => {
    const { server, clock, a } = startElection('2030-01-01');
    const b = startCandidate(server, clock, 'b');
    await clock.advance(4_000);
    clock.jumpTo('2040-01-01');
    await clock.advance(4_000);
    clock.jumpTo('2020-01-01');
    await clock.advance(30_000);
    expect(a.events).toHaveLength(2);
    expect(b.events).toEqual([]);
  });

  test('waits with jitter', async () => {
    const server = new LeaseServer();
    server.put({ holderIdentity: 'other', leaseDurationSeconds: 15 });
    const clock = new FakeClock();
    const options = { client: server.connect(), clock, log: discardLogger, lease: key };
    const elector = new LeaderElector({ ...options, random: () => 0.5 });
    const stop = new AbortController();
    const ended = elector.run(stop.signal, async () => {});
    await clock.advance(3_199);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    expect(server.requests).toHaveLength(2);
    stop.abort();
    expect(await ended).toBe('stopped');
  });
});

test('a leader that lost can be elected again', async () => {
  const server = new LeaseServer();
  const clock = new FakeClock();
  const elector = new LeaderElector({ client: server.connect(), clock, log: discardLogger, lease: key, identity: 'a' });
  const untilTold = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const first = elector.run(new AbortController().signal, untilTold);
  await clock.advance(1_000);
  server.put({ holderIdentity: 'b', leaseDurationSeconds: 15, leaseTransitions: 1 });
  await clock.advance(1_000);
  expect(await first).toBe('lost');
  const second = elector.run(new AbortController().signal, async () => {});
  await clock.advance(40_000);
  expect(await second).toBe('stopped');
  expect(server.lease?.spec?.leaseTransitions).toBe(2);
});

test.each([
  [
    { leaseDurationMs: 10_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 },
    /leaseDurationMs \(10000\) must be more/,
  ],
  [{ leaseDurationMs: 15_000, renewDeadlineMs: 2_400, retryPeriodMs: 2_000 }, /renewDeadlineMs \(2400\) must be more/],
  [{ leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 0 }, /retryPeriodMs \(0\) must be more/],
])('refuses timings %o', (timings, message) => {
  const client = new LeaseServer().connect();
  const options = { client, clock: new FakeClock(), log: discardLogger, lease: key, timings };
  expect(() => new LeaderElector(options)).toThrow(message);
});
