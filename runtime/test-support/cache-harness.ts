/**
 * A cache and a client that reads from the cache. The test sends the watch events and the responses of the API server.
 */
import { Cache, type CacheOptions } from '../cache/cache.ts';
import { CachedClient } from '../cache/cached-client.ts';
import { LiveClient } from '../client/live-client.ts';
import type { ObjectMeta } from '../kubernetes/object.ts';
import { discardLogger } from '../log/logger.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingTransport } from '../testing/recording-transport.ts';
import { type Widget, widget, widgets } from './objects.ts';

export const WIDGETS_PATH = '/apis/example.com/v1/widgets';

export const RACKS_PATH = '/apis/example.com/v1/racks';

/** Key of the Widget that {@link CacheHarness} writes and reads. */
export const key = { namespace: 'default', name: 'a' };

export class CacheHarness {
  readonly clock = new FakeClock();
  readonly transport = new RecordingTransport();
  readonly cache: Cache;
  readonly client: CachedClient;
  readonly #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor({ namespaces }: Pick<CacheOptions, 'namespaces'> = {}) {
    this.cache = new Cache({ transport: this.transport, clock: this.clock, log: discardLogger, namespaces });
    this.client = new CachedClient(this.cache, new LiveClient(this.transport, { fieldManager: 'tester' }));
  }

  /** Returns a harness whose cache contains the Widgets `objects`. */
  static async with(...objects: readonly Widget[]): Promise<CacheHarness> {
    const scene = new CacheHarness();
    scene.cache.indexField(widgets, 'color', ({ spec }) => [spec.color]);
    return await scene.read(...objects);
  }

  readonly start = async () => {
    this.#ended = this.cache.start(this.#stop.signal);
    await this.settled();
  };

  /** Starts the cache and fills it with the Widgets `objects`. */
  async read(...objects: readonly Widget[]): Promise<this> {
    await this.start();
    this.transport.watch().sendInitial(objects);
    await this.settled();
    return this;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  readonly settled = () => this.clock.advance(0);

  /** Updates the Widget on the server, but sends no watch event. */
  async write(metadata: Partial<ObjectMeta>, color: string): Promise<Widget> {
    this.transport.answer = () => widget(metadata, { color });
    return this.client.update(widgets, widget(metadata, { color }));
  }

  async deliver(type: 'ADDED' | 'MODIFIED' | 'DELETED', metadata: Partial<ObjectMeta>, color = 'red'): Promise<void> {
    this.transport.watch().send(type, widget(metadata, { color }));
    await this.clock.advance(0);
  }

  /** Gets the Widget from the client, and returns its color. */
  async color(): Promise<string | undefined> {
    return (await this.client.get(widgets, key))?.spec.color;
  }
}
