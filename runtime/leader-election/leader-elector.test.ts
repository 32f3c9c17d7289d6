import { describe, expect, test } from 'vitest';
import type { Client } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import type { Lease } from '../kubernetes/coordination.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { discardLogger } from '../log/logger.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { LeaderElector, type LeaderElectorOptions, LeadershipLostError } from './leader-elector.ts';

const key = { namespace: 'system', name: 'cronjob' };
const conflict = () => new ApiError(409, { reason: 'Conflict' });

/** An API server that knows one Lease. */
class LeaseServer {
  lease: Lease | undefined;
  /** While set, requests fail as if nothing listened. */
  isDown = false;
  /** While set, requests are never answered, not even when their signal aborts. */
  isSilent = false;
  readonly requests: string[] = [];
  #version = 0;

  /** A connection of its own for each process, so that one can be cut off. */
  connect(link: { isCut: boolean } = { isCut: false }): LeaderElectorOptions['client'] {
    const answer = async <R>(verb: string, work: () => R): Promise<R> => {
      this.requests.push(verb);
      if (this.isDown || link.isCut) throw new Error('connection refused');
      if (this.isSilent) await new Promise(() => {});
      return work();
    };
    const client: Pick<Client, 'get' | 'create' | 'update'> = {
      get: () => answer('get', () => this.lease as never),
      create: (_, object) => answer('create', () => this.#create(object) as never),
      update: (_, object) => answer('update', () => this.#update(object) as never),
    };
    return client;
  }

  /** Writes as somebody else would, whatever the version. */
  put(spec: Lease['spec']): void {
    const metadata = { ...key, uid: 'u', resourceVersion: String(++this.#version), creationTimestamp: '' };
    this.lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, ...(spec && { spec }) };
  }

  #create(object: unknown): Lease {
    if (this.lease !== undefined) throw new ApiError(409, { reason: 'AlreadyExists' });
    this.put((object as Lease).spec);
    return this.lease as unknown as Lease;
  }

  #update(object: KubernetesObject): Lease {
    if (this.lease === undefined) throw new ApiError(404, { reason: 'NotFound' });
    if (object.metadata.resourceVersion !== this.lease.metadata.resourceVersion) throw conflict();
    this.put((object as Lease).spec);
    return this.lease;
  }
}

/** A process that takes part in the election. `events` tells what it went through, with the second it happened. */
function participant(server: LeaseServer, clock: FakeClock, identity: string) {
  const events: string[] = [];
  const link = { isCut: false };
  const stop = new AbortController();
  const say = (event: string) => events.push(`${Math.round(clock.monotonicMs() / 1000)}s ${event}`);
  const elector = new LeaderElector({
    client: server.connect(link),
    clock,
    log: discardLogger,
    lease: key,
    identity,
    metrics: { setLeading: (leading) => say(leading ? 'leading' : 'not leading') },
    random: () => 0,
  });
  let endWork = () => {};
  let reason: unknown;
  const ended = elector.run(stop.signal, async (signal) => {
    say('work starts');
    await new Promise<void>((resolve) => {
      endWork = resolve;
      signal.addEventListener('abort', () => {
        say('work is told to stop');
        reason = signal.reason;
      });
    });
    say('work ended');
  });
  ended.then(say, (error: unknown) => say(String(error)));
  return {
    events,
    link,
    stop: () => stop.abort(),
    endWork: () => endWork(),
    get reason() {
      return reason;
    },
  };
}

describe('acquire', () => {
  test('creates the lease when there is none', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock('2030-01-01T00:00:00.123Z');
    const a = participant(server, clock, 'a');
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

  test('takes a released lease at once and counts the transition', async () => {
    const server = new LeaseServer();
    server.put({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 4 });
    const clock = new FakeClock();
    participant(server, clock, 'a');
    await clock.advance(0);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 5 });
  });

  test('waits a whole lease duration of its own clock, whatever the times in the lease say', async () => {
    const server = new LeaseServer();
    server.put({ holderIdentity: 'dead', leaseDurationSeconds: 15, renewTime: '1999-01-01T00:00:00.000000Z' });
    const clock = new FakeClock('2030-01-01');
    const a = participant(server, clock, 'a');
    await clock.advance(14_000);
    expect(a.events).toEqual([]);
    await clock.advance(2_000);
    expect(a.events).toEqual(['16s leading', '16s work starts']);
  });

  test('leaves a lease alone for as long as its holder promised, not as long as it would itself', async () => {
    const server = new LeaseServer();
    server.put({ holderIdentity: 'slow', leaseDurationSeconds: 60 });
    const clock = new FakeClock();
    const a = participant(server, clock, 'a');
    await clock.advance(58_000);
    expect(a.events).toEqual([]);
    await clock.advance(2_000);
    expect(a.events[0]).toBe('60s leading');
  });

  test('starts to wait anew whenever the holder renews', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const a = participant(server, clock, 'a');
    const b = participant(server, clock, 'b');
    await clock.advance(120_000);
    expect(a.events).toEqual(['0s leading', '0s work starts']);
    expect(b.events).toEqual([]);
  });

  test('lets exactly one of two win a free lease', async () => {
    const server = new LeaseServer();
    server.put({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
    const clock = new FakeClock();
    const [a, b] = [participant(server, clock, 'a'), participant(server, clock, 'b')];
    await clock.advance(10_000);
    expect([...a.events, ...b.events]).toEqual(['0s leading', '0s work starts']);
    expect(server.lease?.spec?.leaseTransitions).toBe(1);
  });

  test('is not hindered by a jump of the wall clock', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock('2030-01-01');
    const a = participant(server, clock, 'a');
    const b = participant(server, clock, 'b');
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
    const elector = new LeaderElector({
      client: server.connect(),
      clock,
      log: discardLogger,
      lease: key,
      random: () => 0.5,
    });
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

describe('renew', () => {
  test('writes without reading first, and keeps acquireTime', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock('2030-01-01T00:00:00Z');
    participant(server, clock, 'a');
    await clock.advance(4_000);
    expect(server.requests).toEqual(['get', 'create', 'update', 'update']);
    expect(server.lease?.spec).toMatchObject({
      acquireTime: '2030-01-01T00:00:00.000000Z',
      renewTime: '2030-01-01T00:00:04.000000Z',
      leaseTransitions: 0,
    });
  });

  test('reads again within the same attempt when the lease was changed, and goes on leading', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const a = participant(server, clock, 'a');
    await clock.advance(0);
    server.put(server.lease?.spec); // somebody labels it, say
    await clock.advance(2_000);
    expect(server.requests).toEqual(['get', 'create', 'update', 'get', 'update']);
    expect(a.events).toHaveLength(2);
  });

  test('makes the lease anew when it was deleted', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const a = participant(server, clock, 'a');
    await clock.advance(0);
    server.lease = undefined;
    await clock.advance(2_000);
    expect(server.lease).toMatchObject({ spec: { holderIdentity: 'a' } });
    expect(a.events).toHaveLength(2);
  });

  test.each(['thief', ''])('has lost at once when the holder is %j', async (holderIdentity) => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const a = participant(server, clock, 'a');
    await clock.advance(1_000);
    server.put({ holderIdentity, leaseDurationSeconds: 15 });
    await clock.advance(1_000);
    a.endWork();
    await clock.advance(0);
    expect(a.events.slice(2)).toEqual(['2s not leading', '2s work is told to stop', '2s work ended', '2s lost']);
    expect(a.reason).toBeInstanceOf(LeadershipLostError);
    expect(server.lease?.spec?.holderIdentity).toBe(holderIdentity);
  });

  test.each(['refuses', 'is silent'])('has lost when the API server %s for the renewal deadline', async (how) => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const a = participant(server, clock, 'a');
    await clock.advance(4_000);
    if (how === 'refuses') server.isDown = true;
    else server.isSilent = true;
    await clock.advance(9_999);
    expect(a.events).toHaveLength(2);
    await clock.advance(1);
    a.endWork();
    await clock.advance(0);
    expect(a.events.slice(2)).toEqual(['14s not leading', '14s work is told to stop', '14s work ended', '14s lost']);
  });

  test('survives an outage shorter than the renewal deadline', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const a = participant(server, clock, 'a');
    await clock.advance(4_000);
    server.isDown = true;
    await clock.advance(7_000);
    server.isDown = false;
    await clock.advance(60_000);
    expect(a.events).toHaveLength(2);
  });

  test('has stopped before another process that watches the same lease starts', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const a = participant(server, clock, 'a');
    const b = participant(server, clock, 'b');
    await clock.advance(4_000);
    a.link.isCut = true;
    await clock.advance(60_000);
    expect(a.events[3]).toBe('14s work is told to stop');
    // b saw the renewal of second 4 in second 6, and looks every two seconds.
    expect(b.events[0]).toBe('22s leading');
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });
});

describe('stop', () => {
  test('releases after the work has ended, and the other process starts on its next attempt', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const a = participant(server, clock, 'a');
    const b = participant(server, clock, 'b');
    await clock.advance(4_000);
    a.stop();
    await clock.advance(20_000);
    expect(a.events.slice(2)).toEqual(['4s work is told to stop']);
    expect(server.lease?.spec?.holderIdentity).toBe('a');
    a.endWork();
    await clock.advance(0);
    expect(a.events.slice(3)).toEqual(['24s work ended', '24s not leading', '24s stopped']);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
    await clock.advance(2_000);
    expect(b.events).toEqual(['26s leading', '26s work starts']);
  });

  test('releases when the work fails, and passes the failure on', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const elector = new LeaderElector({ client: server.connect(), clock, log: discardLogger, lease: key });
    const ended = elector.run(new AbortController().signal, () => Promise.reject(new Error('no disk')));
    await expect(ended).rejects.toThrow('no disk');
    expect(server.lease?.spec?.holderIdentity).toBe('');
    expect(clock.pendingTimers).toBe(0);
  });

  test('reads again when the release meets a conflict', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const client = server.connect();
    let conflicts = 1;
    const update: Client['update'] = async (resource, object, options) => {
      if ((object as unknown as Lease).spec?.holderIdentity === '' && conflicts-- > 0) throw conflict();
      return client.update(resource, object, options);
    };
    const elector = new LeaderElector({ client: { ...client, update }, clock, log: discardLogger, lease: key });
    expect(await elector.run(new AbortController().signal, async () => {})).toBe('stopped');
    expect(server.lease?.spec?.holderIdentity).toBe('');
  });

  test('gives up the release when the API server does not answer', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const a = participant(server, clock, 'a');
    await clock.advance(1_000);
    server.isSilent = true;
    a.stop();
    a.endWork();
    await clock.advance(5_000);
    expect(a.events.at(-1)).toBe('6s stopped');
    expect(clock.pendingTimers).toBe(0);
  });

  test('of a process that only waits writes nothing', async () => {
    const server = new LeaseServer();
    server.put({ holderIdentity: 'other', leaseDurationSeconds: 15 });
    const clock = new FakeClock();
    const a = participant(server, clock, 'a');
    await clock.advance(3_000);
    a.stop();
    await clock.advance(0);
    expect(a.events).toEqual(['3s stopped']);
    expect(server.requests).toEqual(['get', 'get']);
    expect(clock.pendingTimers).toBe(0);
  });

  test('releases a lease whose acquisition was cut off by the stop but reached the server', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const client = server.connect();
    const stop = new AbortController();
    const create: Client['create'] = async (resource, object, options) => {
      await client.create(resource, object, options);
      stop.abort();
      throw stop.signal.reason;
    };
    const elector = new LeaderElector({ client: { ...client, create }, clock, log: discardLogger, lease: key });
    expect(await elector.run(stop.signal, () => Promise.reject(new Error('must not start')))).toBe('stopped');
    expect(server.lease).toMatchObject({ spec: { holderIdentity: '' } });
  });
});

test('a lost leader can stand for election again', async () => {
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
