import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HttpTransport } from '../client/transport.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { keyOf, type Resource } from '../kubernetes/resource.ts';
import { discardLogger } from '../log/logger.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { Informer } from './informer.ts';
import { MAX_BACK_OFF_MS, MAX_SILENCE_MS, MIN_BACK_OFF_MS, Reflector, type ReflectorSink } from './reflector.ts';

interface Job extends KubernetesObject {
  readonly spec: { readonly parallelism: number };
}

const jobs: Resource<Job> = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };
const configMaps: Resource = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };

function job(name: string, parallelism = 1, namespace = 'default') {
  return { metadata: { name, namespace }, spec: { parallelism } };
}

const named = (name: string) => ({ namespace: 'default', name });

/** Keeps what a reflector tells, and how it told it. */
class Mirror implements ReflectorSink<Job> {
  readonly objects = new Map<string, Job>();
  /** Single changes in the order they came, such as `+default/a@101`. */
  readonly changes: string[] = [];
  replaced = 0;
  resumes = 0;

  resumed(): void {
    this.resumes++;
  }

  replace(objects: readonly Job[]): void {
    this.replaced++;
    this.objects.clear();
    for (const object of objects) this.objects.set(keyOf(object), object);
  }

  upsert(object: Job): void {
    this.changes.push(`+${keyOf(object)}@${object.metadata.resourceVersion}`);
    this.objects.set(keyOf(object), object);
  }

  remove(object: Job): void {
    this.changes.push(`-${keyOf(object)}@${object.metadata.resourceVersion}`);
    this.objects.delete(keyOf(object));
  }
}

/** A fake clock that remembers how long it was asked to wait, the watchdog's waits aside. */
class WaitingClock implements Clock {
  readonly fake = new FakeClock('2026-01-01T00:00:00Z');
  readonly waitsMs: number[] = [];

  now = () => this.fake.now();
  monotonicMs = () => this.fake.monotonicMs();

  schedule(delayMs: number, callback: () => void): Cancel {
    if (delayMs !== MAX_SILENCE_MS) this.waitsMs.push(delayMs);
    return this.fake.schedule(delayMs, callback);
  }
}

function transportTo(server: FakeApiServer, clock: Clock): HttpTransport {
  const credentials = { current: async () => ({ server: server.url, tls: {}, headers: {} }), refresh() {} };
  return new HttpTransport({ userAgent: 'tester', credentials, clock });
}

interface Options {
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly random?: () => number;
}

/** A server with the Jobs a, b and c, and a reflector that mirrors them. */
class Scene implements AsyncDisposable {
  readonly clock = new WaitingClock();
  readonly mirror = new Mirror();
  readonly server: FakeApiServer;
  readonly reflector: Reflector<Job>;
  readonly #transport: HttpTransport;
  readonly #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  private constructor(server: FakeApiServer, options: Options) {
    this.server = server;
    this.#transport = transportTo(server, this.clock);
    this.reflector = new Reflector<Job>({
      resource: jobs,
      transport: this.#transport,
      sink: this.mirror,
      clock: this.clock,
      log: discardLogger,
      random: () => 0.5,
      ...options,
    });
  }

  /** @param arrange Before the reflector starts. */
  static async start(arrange: (server: FakeApiServer) => void = () => {}, options: Options = {}): Promise<Scene> {
    const server = await FakeApiServer.start();
    for (const name of ['a', 'b', 'c']) server.put(jobs, job(name));
    arrange(server);
    const scene = new Scene(server, options);
    scene.#ended = scene.reflector.run(scene.#stop.signal);
    return scene;
  }

  /** As {@link start}, and the reflector has all objects. */
  static async synced(arrange?: (server: FakeApiServer) => void, options?: Options): Promise<Scene> {
    const scene = await Scene.start(arrange, options);
    await eventually(() => expect(scene.mirror.replaced).toBe(1), { intervalMs: 1 });
    await scene.server.watchOpened();
    return scene;
  }

  /** Lets time pass in steps until the mirror shows what the server has. */
  async agrees(stepMs = 500): Promise<void> {
    await eventually(
      async () => {
        await this.clock.fake.advance(stepMs);
        const seen = [...this.mirror.objects.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
        expect(seen).toEqual(this.server.list(jobs));
      },
      { intervalMs: 1, timeoutMs: 4000 },
    );
  }

  /** Changes one object of each sort, and waits for the mirror to follow. */
  async staysInTouch(): Promise<void> {
    const { server } = this;
    server.put(jobs, job('last', 1));
    server.put(jobs, job('passing'));
    await this.agrees();
    server.put(jobs, job('last', 2));
    server.remove(jobs, named('passing'));
    await this.agrees();
  }

  /** Time stands, and everything that happens without it has happened. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 8; turn++) await fetch(new URL('/livez', this.server.url));
  }

  /** How many times everything was asked for. */
  get fullReads(): number {
    const { server } = this;
    return server.count({ verb: 'watch', initialEvents: true }) + server.count({ verb: 'list', continued: false });
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#transport.close();
    await this.server.close();
  }
}

function expectEachOnce(changes: readonly string[]): void {
  expect([...changes].sort()).toEqual([...new Set(changes)].sort());
}

describe('without trouble', () => {
  test('mirrors what there is, then every change, from one request', async () => {
    await using scene = await Scene.synced();
    await scene.agrees();
    await scene.staysInTouch();
    expect(scene.server.count()).toBe(1);
    expect(scene.mirror.changes).toHaveLength(4);
  });

  test.each([
    ['as the beginning of a watch', true],
    ['in pages', false],
  ])('null is absent in what is mirrored, read %s and in every change', async (_, watchList) => {
    const withNulls = (name: string) => ({
      ...job(name),
      metadata: { ...job(name).metadata, labels: null, finalizers: null },
      status: { conditions: [{ type: 'Failed', lastTransitionTime: null }, null] },
    });
    const arrange = (server: FakeApiServer) => {
      server.watchList = watchList;
      server.put(jobs, withNulls('read') as unknown as Job);
    };
    await using scene = await Scene.synced(arrange);
    scene.server.put(jobs, withNulls('changed') as unknown as Job);
    await eventually(() => expect(scene.mirror.objects.get('default/changed')).toBeDefined(), { intervalMs: 1 });
    for (const name of ['read', 'changed']) {
      const seen = scene.mirror.objects.get(`default/${name}`);
      expect(seen).toMatchObject({ spec: { parallelism: 1 }, status: { conditions: [{ type: 'Failed' }] } });
      expect(JSON.stringify(seen)).not.toContain('null');
    }
  });

  test('mirrors one namespace when asked to', async () => {
    const arrange = (server: FakeApiServer) => void server.put(jobs, job('x', 1, 'mine'));
    await using scene = await Scene.synced(arrange, { namespace: 'mine' });
    scene.server.put(jobs, job('other', 1, 'default'));
    scene.server.put(jobs, job('y', 1, 'mine'));
    await eventually(() => expect([...scene.mirror.objects.keys()]).toEqual(['mine/x', 'mine/y']), { intervalMs: 1 });
  });

  test('reads lines that come in pieces, also when a character is cut in two', async () => {
    await using scene = await Scene.synced((server) => {
      server.sendsInPieces = true;
      const annotations = { note: 'täglich 毎日 🗓' };
      server.put(jobs, { ...job('wide'), metadata: { name: 'wide', namespace: 'default', annotations } });
    });
    await scene.agrees();
    await scene.staysInTouch();
    expect(scene.server.count()).toBe(1);
  });

  test('ends when it is told to, and leaves neither watch nor timer behind', async () => {
    await using scene = await Scene.synced();
    await scene.stop();
    await scene.server.until((server) => server.openWatches === 0);
    expect(scene.clock.fake.pendingTimers).toBe(0);
  });

  test('ends when it is told to while it backs off', async () => {
    await using scene = await Scene.start((server) => server.fail({ verb: 'watch' }, { kind: 'error', code: 500 }));
    await eventually(() => expect(scene.clock.waitsMs).toHaveLength(1), { intervalMs: 1 });
    await scene.stop();
    expect(scene.clock.fake.pendingTimers).toBe(0);
  });
});

describe('a watch that breaks', () => {
  const cases = [
    { name: 'socket reset', kind: 'reset', fullReads: 1, atOnce: 0 },
    { name: 'clean close', kind: 'close', fullReads: 1, atOnce: 1 },
    { name: 'half a line', kind: 'halfLine', fullReads: 1, atOnce: 1 },
    { name: 'a line that is not JSON', kind: 'garbage', fullReads: 1, atOnce: 0 },
    { name: 'error 500 in the stream', kind: 'fail', fullReads: 1, atOnce: 0 },
    { name: '410 in the stream', kind: 'expire', fullReads: 2, atOnce: 0 },
  ] as const;

  test.each(cases)('by $name: the mirror ends consistent', async ({ kind, fullReads, atOnce }) => {
    await using scene = await Scene.synced();
    const { server } = scene;
    server.breakWatches({ kind, afterEvents: 2 });
    server.put(jobs, job('d'));
    server.remove(jobs, named('b'));
    server.remove(jobs, named('a'));
    server.put(jobs, job('e'));
    expect(server.pendingFaults).toBe(0);
    await scene.settled();
    expect(server.count(), 'requests while time stands').toBeLessThanOrEqual(1 + atOnce);
    server.put(jobs, job('c', 2));
    server.remove(jobs, named('d'));
    await scene.agrees();
    await scene.staysInTouch();
    expect(scene.fullReads).toBe(fullReads);
    expect(server.count()).toBe(2);
    if (fullReads === 1) expectEachOnce(scene.mirror.changes);
  });

  test('by silence: is taken for dead when the bound has passed, not before', async () => {
    await using scene = await Scene.synced();
    const { server, clock } = scene;
    server.breakWatches({ kind: 'silence', afterEvents: 1 });
    server.put(jobs, job('d'));
    await scene.agrees(0);
    server.remove(jobs, named('a'));
    server.put(jobs, job('b', 2));
    server.bookmark();
    await clock.fake.advance(MAX_SILENCE_MS - 1);
    await scene.settled();
    expect(server.count()).toBe(1);
    expect(scene.reflector.silentForMs).toBe(MAX_SILENCE_MS - 1);
    await clock.fake.advance(1);
    server.put(jobs, job('c', 2));
    await scene.agrees();
    await scene.staysInTouch();
    expect(server.count()).toBe(2);
    expect(scene.fullReads).toBe(1);
    expectEachOnce(scene.mirror.changes);
  });

  test('in the middle of a burst: is taken up at once and nothing comes twice', async () => {
    await using scene = await Scene.synced();
    const { server } = scene;
    server.breakWatches({ kind: 'close', afterEvents: 300 });
    for (let i = 0; i < 1000; i++) server.put(jobs, job(`burst-${i}`));
    await scene.agrees(0);
    expect(scene.mirror.changes).toHaveLength(1000);
    expectEachOnce(scene.mirror.changes);
    expect(server.count()).toBe(2);
    expect(scene.clock.waitsMs).toEqual([]);
  });

  test('again and again as soon as it is open: is not hammered', async () => {
    await using scene = await Scene.synced();
    const { server } = scene;
    for (let i = 0; i < 4; i++) server.fail({ verb: 'watch' }, { kind: 'close' });
    server.breakWatches({ kind: 'close' });
    await scene.settled();
    expect(server.count()).toBeLessThanOrEqual(2);
    server.remove(jobs, named('a'));
    await scene.agrees();
    await scene.staysInTouch();
    expect(server.pendingFaults).toBe(0);
    expect(scene.fullReads).toBe(1);
  });
});

describe('a watch that is not granted', () => {
  const cases = [
    { name: '500', fault: { kind: 'error', code: 500 } },
    { name: '429', fault: { kind: 'error', code: 429 } },
    { name: '403', fault: { kind: 'error', code: 403 } },
    { name: 'a proxy page', fault: { kind: 'text', code: 502, text: '<html>bad gateway</html>' } },
    { name: 'a reset socket', fault: { kind: 'drop' } },
  ] as const;

  test.each(cases)('but answered with $name: is asked for again from where it was', async ({ fault }) => {
    await using scene = await Scene.synced();
    const { server } = scene;
    for (let i = 0; i < 3; i++) server.fail({ verb: 'watch' }, fault);
    server.breakWatches({ kind: 'reset' });
    server.remove(jobs, named('a'));
    await scene.settled();
    expect(server.count(), 'requests while time stands').toBe(1);
    server.put(jobs, job('b', 2));
    await scene.agrees();
    await scene.staysInTouch();
    expect(server.pendingFaults).toBe(0);
    expect(scene.fullReads).toBe(1);
    expect(scene.mirror.resumes, 'times it is told that the server can be heard again').toBe(1);
    expectEachOnce(scene.mirror.changes);
  });

  test.each(cases)('at the start, but answered with $name: is asked for again', async ({ fault }) => {
    await using scene = await Scene.start((server) => server.fail({ verb: 'watch' }, fault));
    const { server } = scene;
    await server.until(() => server.pendingFaults === 0);
    await scene.settled();
    expect(scene.mirror.replaced).toBe(0);
    server.remove(jobs, named('a'));
    await scene.agrees();
    await scene.staysInTouch();
    expect(scene.mirror.replaced).toBe(1);
  });

  test('for a time: is asked for after that time and not before', async () => {
    await using scene = await Scene.synced();
    const { server, clock } = scene;
    server.fail({ verb: 'watch' }, { kind: 'error', code: 429, retryAfterSeconds: 20 });
    server.breakWatches({ kind: 'reset' });
    await eventually(
      async () => {
        await clock.fake.advance(200);
        expect(clock.waitsMs).toHaveLength(2);
      },
      { intervalMs: 1 },
    );
    expect(clock.waitsMs[1]).toBeGreaterThanOrEqual(20_000);
    await clock.fake.advance(19_000);
    await scene.settled();
    expect(server.count()).toBe(2);
    await scene.staysInTouch();
  });

  test('because its version is compacted: everything is read anew, and what was deleted goes', async () => {
    await using scene = await Scene.synced();
    const { server } = scene;
    await server.goDown();
    server.remove(jobs, named('a'));
    server.put(jobs, job('b', 2));
    server.put(jobs, job('d'));
    server.remove(jobs, named('d'));
    server.put(jobs, job('e'));
    server.compact();
    await server.comeBack();
    await scene.agrees();
    await scene.staysInTouch();
    expect(scene.fullReads).toBe(2);
  });

  test('with HTTP status 410: everything is read anew', async () => {
    await using scene = await Scene.synced();
    const { server } = scene;
    server.fail({ verb: 'watch' }, { kind: 'error', code: 410 });
    server.breakWatches({ kind: 'reset' });
    server.remove(jobs, named('a'));
    server.put(jobs, job('d'));
    await scene.agrees();
    await scene.staysInTouch();
    expect(scene.fullReads).toBe(2);
  });

  test('nor refused: is given up when nothing is heard for too long', async () => {
    const held = Promise.withResolvers<void>();
    await using scene = await Scene.start((server) =>
      server.fail({ verb: 'watch' }, { kind: 'hold', until: held.promise }),
    );
    const { server, clock } = scene;
    await server.until(() => server.count() === 1);
    await clock.fake.advance(MAX_SILENCE_MS);
    server.remove(jobs, named('a'));
    await scene.agrees();
    held.resolve();
    await scene.staysInTouch();
    expect(server.count()).toBe(2);
  });
});

describe('back-off', () => {
  const refusals = 9;
  const growing = [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000];

  async function waitsWith(random: () => number) {
    const scene = await Scene.start(
      (server) => {
        for (let i = 0; i < refusals; i++) server.fail({ verb: 'watch' }, { kind: 'error', code: 500 });
      },
      { random },
    );
    await scene.agrees(10_000);
    return scene;
  }

  test('doubles up to its limit, and begins anew after a success', async () => {
    await using scene = await waitsWith(() => 0);
    expect(scene.clock.waitsMs).toEqual(growing);
    scene.server.breakWatches({ kind: 'reset' });
    scene.server.put(jobs, job('d'));
    await scene.agrees();
    expect(scene.clock.waitsMs.slice(refusals)).toEqual([MIN_BACK_OFF_MS]);
  });

  test('is spread, so that many clients do not come back together', async () => {
    await using scene = await waitsWith(() => 0.75);
    expect(scene.clock.waitsMs).toEqual(growing.map((waitMs) => waitMs * 1.75));
    expect(Math.max(...scene.clock.waitsMs)).toBeLessThanOrEqual(2 * MAX_BACK_OFF_MS);
  });

  test('follows connections that are reset or refused, too', async () => {
    await using scene = await Scene.start((server) => server.rejectConnections(2));
    const { server, clock } = scene;
    await eventually(
      async () => {
        await clock.fake.advance(200);
        expect(scene.mirror.replaced).toBe(1);
      },
      { intervalMs: 1 },
    );
    expect(clock.waitsMs).toHaveLength(2);
    await server.goDown();
    server.remove(jobs, named('a'));
    await eventually(
      async () => {
        await clock.fake.advance(1000);
        expect(clock.waitsMs.length).toBeGreaterThanOrEqual(5);
      },
      { intervalMs: 1 },
    );
    await server.comeBack();
    await scene.agrees(1000);
    await scene.staysInTouch();
    expect(scene.fullReads).toBe(1);
  });
});

describe('initial events', () => {
  test('broken off before their end count for nothing', async () => {
    await using scene = await Scene.start((server) =>
      server.fail({ verb: 'watch' }, { kind: 'breakInitialEvents', afterEvents: 2 }),
    );
    const { server, mirror } = scene;
    await server.until(() => server.pendingFaults === 0);
    await scene.settled();
    expect(server.count(), 'requests while time stands').toBe(1);
    expect([mirror.replaced, mirror.objects.size]).toEqual([0, 0]);
    server.remove(jobs, named('a'));
    await scene.agrees();
    await scene.staysInTouch();
    expect(mirror.replaced).toBe(1);
  });

  test('that never end are given up', async () => {
    const never = new Promise<void>(() => {});
    await using scene = await Scene.start((server) =>
      server.fail({ verb: 'watch' }, { kind: 'lateInitialEnd', until: never }),
    );
    const { server, clock } = scene;
    await server.watchOpened();
    await scene.settled();
    await clock.fake.advance(MAX_SILENCE_MS);
    server.remove(jobs, named('a'));
    await scene.agrees();
    await scene.staysInTouch();
    expect(server.count()).toBe(2);
  });

  test('may have changes among them before they end', async () => {
    const held = Promise.withResolvers<void>();
    await using scene = await Scene.start((server) =>
      server.fail({ verb: 'watch' }, { kind: 'lateInitialEnd', until: held.promise }),
    );
    const { server, mirror } = scene;
    await server.watchOpened();
    server.remove(jobs, named('a'));
    server.put(jobs, job('b', 2));
    server.put(jobs, job('d'));
    server.bookmark();
    await scene.settled();
    expect(mirror.replaced).toBe(0);
    held.resolve();
    await scene.agrees();
    await scene.staysInTouch();
    expect([server.count(), mirror.replaced]).toEqual([1, 1]);
  });

  test('after a compaction replace what was there', async () => {
    await using scene = await Scene.synced();
    const { server, mirror } = scene;
    server.fail({ verb: 'watch', initialEvents: true }, { kind: 'breakInitialEvents', afterEvents: 1 });
    server.breakWatches({ kind: 'expire' });
    server.remove(jobs, named('a'));
    server.compact();
    await server.until(() => server.pendingFaults === 1);
    await scene.settled();
    expect(mirror.objects.size, 'keeps the old until it has the new').toBe(3);
    await scene.agrees();
    await scene.staysInTouch();
    expect(scene.fullReads).toBe(3);
    expect(mirror.replaced).toBe(2);
  });
});

describe('a server without watch-list', () => {
  const old = (server: FakeApiServer) => {
    server.watchList = false;
    for (let i = 0; i < 600; i++) server.put(jobs, job(`many-${i}`));
  };

  test('is asked for pages, once, and watched from their version', async () => {
    await using scene = await Scene.synced(old);
    const { server } = scene;
    await scene.agrees();
    await scene.staysInTouch();
    expect(server.requests.map(({ verb }) => verb)).toEqual(['watch', 'list', 'list', 'watch']);
    expect(scene.clock.waitsMs).toEqual([]);
    server.breakWatches({ kind: 'expire' });
    server.remove(jobs, named('a'));
    await scene.agrees();
    expect(server.count({ initialEvents: true }), 'does not try again what was refused').toBe(1);
    expectEachOnce(scene.mirror.changes);
  });

  test('that changes between two pages misses nothing', async () => {
    const held = Promise.withResolvers<void>();
    await using scene = await Scene.start((server) => {
      old(server);
      server.fail({ verb: 'list', continued: true }, { kind: 'hold', until: held.promise });
    });
    const { server } = scene;
    await server.until(() => server.count({ verb: 'list', continued: true }) === 1);
    server.remove(jobs, named('a'));
    server.remove(jobs, named('many-99'));
    server.put(jobs, job('b', 2));
    server.put(jobs, job('d'));
    held.resolve();
    await scene.agrees();
    await scene.staysInTouch();
    expect(scene.mirror.replaced).toBe(1);
  });

  const cases = [
    { name: 'list answered 503', match: { verb: 'list' }, fault: { kind: 'error', code: 503 }, lists: 2 },
    { name: 'list cut in half', match: { verb: 'list' }, fault: { kind: 'cutAnswer' }, lists: 2 },
    { name: 'list dropped', match: { verb: 'list' }, fault: { kind: 'drop' }, lists: 2 },
    { name: 'second page 503', match: { continued: true }, fault: { kind: 'error', code: 503 }, lists: 2 },
    { name: 'continue token expired', match: { continued: true }, fault: { kind: 'error', code: 410 }, lists: 2 },
    { name: 'watch answered 500', match: { initialEvents: false }, fault: { kind: 'error', code: 500 }, lists: 1 },
  ] as const;

  test.each(cases)('and with trouble, $name: the mirror ends consistent', async ({ match, fault, lists }) => {
    const verb = 'initialEvents' in match ? 'watch' : 'list';
    await using scene = await Scene.start((server) => {
      old(server);
      server.fail({ verb, ...match }, fault);
    });
    const { server } = scene;
    await server.until(() => server.pendingFaults === 0);
    await scene.settled();
    const requests = server.count();
    await scene.settled();
    expect(server.count(), 'requests while time stands').toBe(requests);
    server.remove(jobs, named('a'));
    server.put(jobs, job('b', 2));
    await scene.agrees();
    await scene.staysInTouch();
    expect(server.count({ verb: 'list', continued: false })).toBe(lists);
  });
});

describe('bookmarks', () => {
  /** Sends a bookmark and waits until the reflector has heard it. */
  async function heardBookmark({ server, clock, reflector }: Scene): Promise<void> {
    await clock.fake.advance(1000);
    server.bookmark();
    await eventually(() => expect(reflector.silentForMs).toBe(0), { intervalMs: 1 });
  }

  test('of a quiet kind keep its version fresh, so that a compaction does not cost a relist', async () => {
    await using scene = await Scene.synced();
    const { server } = scene;
    for (let i = 0; i < 5; i++) server.put(configMaps, { metadata: { name: `other-${i}`, namespace: 'default' } });
    await heardBookmark(scene);
    server.compact();
    server.breakWatches({ kind: 'close' });
    server.put(jobs, job('d'));
    await scene.agrees();
    await scene.staysInTouch();
    expect(scene.fullReads).toBe(1);
    expect(server.count()).toBe(2);
  });

  test('keep a quiet watch alive', async () => {
    await using scene = await Scene.synced();
    const { server, clock } = scene;
    for (let i = 0; i < 4; i++) {
      await clock.fake.advance(MAX_SILENCE_MS - 2000);
      await heardBookmark(scene);
    }
    await scene.staysInTouch();
    expect(server.count()).toBe(1);
  });
});

describe('any mix of changes and faults', () => {
  const names = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const liveFault = fc.record({
    kind: fc.constantFrom('close', 'reset', 'expire', 'fail', 'halfLine', 'garbage', 'silence'),
    afterEvents: fc.nat(3),
  });
  const answerFault = fc.oneof(
    fc.constantFrom({ kind: 'drop' as const }, { kind: 'cutAnswer' as const }),
    fc.record({ kind: fc.constant('error' as const), code: fc.constantFrom(410, 429, 500, 503) }),
  );
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), name: names, parallelism: fc.nat(9) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('remove' as const), name: names }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('break' as const), fault: liveFault }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('failWatch' as const), fault: fc.oneof(liveFault, answerFault) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('failList' as const), fault: answerFault }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('compact', 'bookmark', 'drop', 'restart', 'upgrade') }) },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 300, 2000, 40_000) }),
    },
  );

  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

  async function take(server: FakeApiServer, clock: FakeClock, step: Step): Promise<void> {
    switch (step.do) {
      case 'put':
        server.put(jobs, job(step.name, step.parallelism));
        break;
      case 'remove':
        if (server.get(jobs, named(step.name))) server.remove(jobs, named(step.name));
        break;
      case 'break':
        server.breakWatches(step.fault);
        break;
      case 'failWatch':
        server.fail({ verb: 'watch' }, step.fault);
        break;
      case 'failList':
        server.fail({ verb: 'list' }, step.fault);
        break;
      case 'wait':
        for (let turn = 0; turn < 3; turn++) await fetch(new URL('/livez', server.url)).catch(() => {});
        await clock.advance(step.ms);
        break;
      case 'compact':
        server.compact();
        break;
      case 'bookmark':
        server.bookmark();
        break;
      case 'drop':
        server.dropConnections();
        break;
      case 'restart':
        await server.goDown();
        await server.comeBack();
        break;
      case 'upgrade':
        server.watchList = !server.watchList;
        break;
    }
  }

  /** Handlers are told a story without holes: nothing added twice, nothing changed or deleted that was not there. */
  function follow(informer: Informer<Job>): Map<string, Job> {
    const told = new Map<string, Job>();
    informer.addEventHandler({
      onAdd: (object) => {
        expect(told.has(keyOf(object))).toBe(false);
        told.set(keyOf(object), object);
      },
      onUpdate: (old, object) => {
        expect(told.get(keyOf(object))).toBe(old);
        told.set(keyOf(object), object);
      },
      onDelete: (object) => {
        expect(told.get(keyOf(object))).toBe(object);
        told.delete(keyOf(object));
      },
    });
    return told;
  }

  test('ends with informer, handlers and server agreeing', async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      await using server = await FakeApiServer.start();
      const clock = new FakeClock();
      const transport = transportTo(server, clock);
      const stop = new AbortController();
      const faults: unknown[] = [];
      const log = { ...discardLogger, error: (_: string, error: unknown) => void faults.push(error) };
      const informer = new Informer<Job>({ resource: jobs, transport, clock, log });
      const told = follow(informer);
      const ended = informer.run(stop.signal);
      for (const one of steps) await take(server, clock, one);
      server.clearFaults();
      server.put(jobs, job('after-all'));
      await eventually(
        async () => {
          await clock.advance(5000);
          const stored = informer.store.list().sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
          expect(stored).toEqual(server.list(jobs));
        },
        { intervalMs: 1, timeoutMs: 3000 },
      );
      expect(new Map(informer.store.list().map((object) => [keyOf(object), object]))).toEqual(told);
      expect(faults).toEqual([]);
      stop.abort();
      await ended;
      await transport.close();
    });
    await fc.assert(property, { numRuns: 20 }); // prints its seed when it fails
  });
});

describe('a field selector', () => {
  const options = { fieldSelector: 'metadata.name=b' };
  const selectors = ({ server }: Scene) => server.requests.map(({ verb, query }) => [verb, query.get('fieldSelector')]);

  test('goes with every watch', async () => {
    await using scene = await Scene.synced(undefined, options);
    scene.server.breakWatches({ kind: 'reset' });
    await scene.staysInTouch();
    expect(selectors(scene)).toEqual([
      ['watch', 'metadata.name=b'],
      ['watch', 'metadata.name=b'],
    ]);
  });

  test('goes with lists', async () => {
    const old = (server: FakeApiServer) => {
      server.watchList = false;
    };
    await using scene = await Scene.start(old, options);
    await scene.server.until(({ requests }) => requests.length === 2);
    expect(selectors(scene)).toEqual([
      ['watch', 'metadata.name=b'],
      ['list', 'metadata.name=b'],
    ]);
  });
});
