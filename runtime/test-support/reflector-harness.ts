/** A reflector of Jobs, an API server in memory, and a list of the reflector's notifications. */
import { expect } from 'vitest';
import { MAX_WATCH_SILENCE_MS, Reflector, type ReflectorSink } from '../cache/reflector.ts';
import type { HttpTransport } from '../client/transport.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import { core } from '../kubernetes/core.ts';
import { formatKey } from '../kubernetes/resource.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeApiServer } from '../testing/fake-api-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import { type Job, job, jobs } from './objects.ts';

export const { configMaps } = core.v1;

export const jobKey = (name: string) => ({ namespace: 'default', name });

/** Mirrors the objects of a reflector, and records its notifications. */
class RecordingSink implements ReflectorSink<Job> {
  readonly objects = new Map<string, Job>();
  /** The changes in the order of their arrival, such as `+default/a@101`. */
  readonly changes: string[] = [];
  replaced = 0;
  resumes = 0;

  onResume(): void {
    this.resumes++;
  }

  replace(objects: readonly Job[]): void {
    this.replaced++;
    this.objects.clear();
    for (const object of objects) this.objects.set(formatKey(object), object);
  }

  upsert(object: Job): void {
    this.changes.push(`+${formatKey(object)}@${object.metadata.resourceVersion}`);
    this.objects.set(formatKey(object), object);
  }

  remove(object: Job): void {
    this.changes.push(`-${formatKey(object)}@${object.metadata.resourceVersion}`);
    this.objects.delete(formatKey(object));
  }
}

/**
 * A fake clock that records the requested waits, except for the timeout after which the reflector restarts a silent
 * watch.
 */
class RecordingClock implements Clock {
  readonly fake = new FakeClock('2026-01-01T00:00:00Z');
  readonly waitsMs: number[] = [];

  now = () => this.fake.now();
  monotonicMs = () => this.fake.monotonicMs();

  schedule(delayMs: number, callback: () => void): Cancel {
    if (delayMs !== MAX_WATCH_SILENCE_MS) this.waitsMs.push(delayMs);
    return this.fake.schedule(delayMs, callback);
  }
}

export function connectTo(server: FakeApiServer, clock: Clock): HttpTransport {
  return server.connect({ userAgent: 'tester', clock });
}

export interface ReflectorHarnessOptions {
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly random?: () => number;
}

/** A server with the Jobs a, b and c, and a reflector that mirrors them. */
export class ReflectorHarness implements AsyncDisposable {
  readonly clock = new RecordingClock();
  readonly log = new RecordingLogger();
  readonly mirror = new RecordingSink();
  readonly server: FakeApiServer;
  readonly reflector: Reflector<Job>;
  readonly #transport: HttpTransport;
  readonly #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  private constructor(server: FakeApiServer, options: ReflectorHarnessOptions) {
    this.server = server;
    this.#transport = connectTo(server, this.clock);
    this.reflector = new Reflector<Job>({
      resource: jobs,
      transport: this.#transport,
      sink: this.mirror,
      clock: this.clock,
      log: this.log,
      random: () => 0.5,
      ...options,
    });
  }

  /** @param arrange Called before the reflector starts. */
  static async start(
    arrange: (server: FakeApiServer) => void = () => {},
    options: ReflectorHarnessOptions = {},
  ): Promise<ReflectorHarness> {
    const server = await FakeApiServer.start();
    for (const name of ['a', 'b', 'c']) server.put(jobs, job(name));
    arrange(server);
    const scene = new ReflectorHarness(server, options);
    scene.#ended = scene.reflector.run(scene.#stop.signal);
    return scene;
  }

  /** Like {@link start}, but waits until the reflector has read all objects. */
  static async synced(
    arrange?: (server: FakeApiServer) => void,
    options?: ReflectorHarnessOptions,
  ): Promise<ReflectorHarness> {
    const scene = await ReflectorHarness.start(arrange, options);
    await eventually(() => expect(scene.mirror.replaced).toBe(1), { intervalMs: 1 });
    await scene.server.watchOpened();
    return scene;
  }

  /** Advances the clock in steps until the mirror equals the objects of the server. */
  async waitUntilInSync(stepMs = 500): Promise<void> {
    await this.until(() => {
      const mirrored = [...this.mirror.objects.values()].sort((a, b) => (formatKey(a) < formatKey(b) ? -1 : 1));
      expect(mirrored).toEqual(this.server.list(jobs));
    }, stepMs);
  }

  /** Advances the clock in steps until the assertion succeeds. */
  async until(assertion: () => void, stepMs: number): Promise<void> {
    await eventually(
      async () => {
        await this.clock.fake.advance(stepMs);
        assertion();
      },
      { intervalMs: 1 },
    );
  }

  /** Creates, updates and deletes an object, and waits until the mirror contains the changes. */
  async expectInSync(): Promise<void> {
    const { server } = this;
    server.put(jobs, job('last', 1));
    server.put(jobs, job('passing'));
    await this.waitUntilInSync();
    server.put(jobs, job('last', 2));
    server.remove(jobs, jobKey('passing'));
    await this.waitUntilInSync();
  }

  /** Waits for all pending work without advancing the clock. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 8; turn++) await fetch(new URL('/livez', this.server.url));
  }

  /** Number of times that the reflector has read all objects. */
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

export function expectNoDuplicates(changes: readonly string[]): void {
  expect([...changes].sort()).toEqual([...new Set(changes)].sort());
}
