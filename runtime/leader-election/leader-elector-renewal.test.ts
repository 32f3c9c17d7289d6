import { describe, expect, test } from 'vitest';
import type { Client } from '../client/client.ts';
import type { Lease } from '../kubernetes/coordination.ts';
import { discardLogger } from '../log/logger.ts';
import { createConflictError, key, LeaseServer, startCandidate, startElection } from '../test-support/lease-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { LeaderElector, LeadershipLostError } from './leader-elector.ts';

const createElector = (client: Pick<Client, 'get' | 'create' | 'update'>, clock: FakeClock) =>
  new LeaderElector({ client, clock, log: discardLogger, lease: key });

describe('renew', () => {
  test('writes without reading first, and keeps acquireTime', async () => {
    const { server, clock } = startElection('2030-01-01T00:00:00Z');
    await clock.advance(4_000);
    expect(server.requests).toEqual(['get', 'create', 'update', 'update']);
    expect(server.lease?.spec).toMatchObject({
      acquireTime: '2030-01-01T00:00:00.000000Z',
      renewTime: '2030-01-01T00:00:04.000000Z',
      leaseTransitions: 0,
    });
  });

  test('reads again within the same attempt if the lease changed, and continues to lead', async () => {
    const { server, clock, a } = startElection();
    await clock.advance(0);
    server.put(server.lease?.spec); // for example, another client sets a label
    await clock.advance(2_000);
    expect(server.requests).toEqual(['get', 'create', 'update', 'get', 'update']);
    expect(a.events).toHaveLength(2);
  });

  test('creates the lease again if it was deleted', async () => {
    const { server, clock, a } = startElection();
    await clock.advance(0);
    server.lease = undefined;
    await clock.advance(2_000);
    expect(server.lease).toMatchObject({ spec: { holderIdentity: 'a' } });
    expect(a.events).toHaveLength(2);
  });

  test.each(['thief', ''])('loses at once if the holder is %j', async (holderIdentity) => {
    const { server, clock, a } = startElection();
    await clock.advance(1_000);
    server.put({ holderIdentity, leaseDurationSeconds: 15 });
    await clock.advance(1_000);
    a.endWork();
    await clock.advance(0);
    expect(a.events.slice(2)).toEqual(['2s not leading', '2s work gets the stop signal', '2s work ended', '2s lost']);
    expect(a.reason).toBeInstanceOf(LeadershipLostError);
    expect(server.lease?.spec?.holderIdentity).toBe(holderIdentity);
  });

  test.each(['refuses', 'is silent'])('loses if the API server %s for the renewal deadline', async (how) => {
    const { server, clock, a } = startElection();
    await clock.advance(4_000);
    if (how === 'refuses') server.isDown = true;
    else server.isSilent = true;
    await clock.advance(9_999);
    expect(a.events).toHaveLength(2);
    await clock.advance(1);
    a.endWork();
    await clock.advance(0);
    expect(a.events.slice(2)).toEqual([
      '14s not leading',
      '14s work gets the stop signal',
      '14s work ended',
      '14s lost',
    ]);
  });

  test('survives an outage shorter than the renewal deadline', async () => {
    const { server, clock, a } = startElection();
    await clock.advance(4_000);
    server.isDown = true;
    await clock.advance(7_000);
    server.isDown = false;
    await clock.advance(60_000);
    expect(a.events).toHaveLength(2);
  });

  test('has stopped before another candidate starts', async () => {
    const { server, clock, a } = startElection();
    const b = startCandidate(server, clock, 'b');
    await clock.advance(4_000);
    a.link.isCut = true;
    await clock.advance(60_000);
    expect(a.events[3]).toBe('14s work gets the stop signal');
    // b saw the renewal of second 4 in second 6, and checks every two seconds.
    expect(b.events[0]).toBe('22s leading');
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });
});

describe('stop', () => {
  test('releases after the work has ended, and the other process starts on its next attempt', async () => {
    const { server, clock, a } = startElection();
    const b = startCandidate(server, clock, 'b');
    await clock.advance(4_000);
    a.stop();
    await clock.advance(20_000);
    expect(a.events.slice(2)).toEqual(['4s work gets the stop signal']);
    expect(server.lease?.spec?.holderIdentity).toBe('a');
    a.endWork();
    await clock.advance(0);
    expect(a.events.slice(3)).toEqual(['24s work ended', '24s not leading', '24s stopped']);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
    await clock.advance(2_000);
    expect(b.events).toEqual(['26s leading', '26s work starts']);
  });

  test('releases if the work fails, and rejects with its error', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const elector = createElector(server.connect(), clock);
    const ended = elector.run(new AbortController().signal, () => Promise.reject(new Error('no disk')));
    await expect(ended).rejects.toThrow('no disk');
    expect(server.lease?.spec?.holderIdentity).toBe('');
    expect(clock.pendingTimers).toBe(0);
  });

  test('reads again after a conflict during the release', async () => {
    const server = new LeaseServer();
    const clock = new FakeClock();
    const client = server.connect();
    let conflicts = 1;
    const update: Client['update'] = async (resource, object, options) => {
      if ((object as unknown as Lease).spec?.holderIdentity === '' && conflicts-- > 0) throw createConflictError();
      return client.update(resource, object, options);
    };
    const elector = createElector({ ...client, update }, clock);
    expect(await elector.run(new AbortController().signal, async () => {})).toBe('stopped');
    expect(server.lease?.spec?.holderIdentity).toBe('');
  });

  test('cancels the release if the API server does not answer', async () => {
    const { server, clock, a } = startElection();
    await clock.advance(1_000);
    server.isSilent = true;
    a.stop();
    a.endWork();
    await clock.advance(5_000);
    expect(a.events.at(-1)).toBe('6s stopped');
    expect(clock.pendingTimers).toBe(0);
  });

  test('of a waiting candidate writes nothing', async () => {
    const server = new LeaseServer();
    server.put({ holderIdentity: 'other', leaseDurationSeconds: 15 });
    const clock = new FakeClock();
    const a = startCandidate(server, clock, 'a');
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
    const elector = createElector({ ...client, create }, clock);
    expect(await elector.run(stop.signal, () => Promise.reject(new Error('must not start')))).toBe('stopped');
    expect(server.lease).toMatchObject({ spec: { holderIdentity: '' } });
  });
});
