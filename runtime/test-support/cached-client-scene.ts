import { Cache } from '../cache/cache.ts';
import { CachedClient } from '../cache/cached-client.ts';
import { LiveClient } from '../client/live-client.ts';
import type { ObjectMeta } from '../kubernetes/object.ts';
import { discardLogger } from '../log/logger.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingTransport } from '../testing/recording-transport.ts';
import { type Widget, widget, widgets } from './objects.ts';

/** Of the Widget that {@link CachedClientScene} writes and reads. */
export const key = { namespace: 'default', name: 'a' };

/** A client over a cache that mirrors Widgets, and the server behind both. */
export class CachedClientScene {
  readonly transport = new RecordingTransport();
  readonly clock = new FakeClock();
  readonly cache = new Cache({ transport: this.transport, clock: this.clock, log: discardLogger });
  readonly client = new CachedClient(this.cache, new LiveClient(this.transport, { fieldManager: 'tester' }));

  static async with(...objects: readonly Widget[]): Promise<CachedClientScene> {
    const scene = new CachedClientScene();
    scene.cache.indexField(widgets, 'color', ({ spec }) => [spec.color]);
    return await scene.start(...objects);
  }

  async start(...objects: readonly Widget[]): Promise<this> {
    void this.cache.start(new AbortController().signal);
    await this.clock.advance(0);
    this.transport.watch().sendInitial(objects);
    await this.clock.advance(0);
    return this;
  }

  /** The server stores our write; nothing has come through the watch yet. */
  async write(metadata: Partial<ObjectMeta>, color: string): Promise<Widget> {
    this.transport.answer = () => widget(metadata, { color });
    return this.client.update(widgets, widget(metadata, { color }));
  }

  async hear(type: 'ADDED' | 'MODIFIED' | 'DELETED', metadata: Partial<ObjectMeta>, color = 'red'): Promise<void> {
    this.transport.watch().send(type, widget(metadata, { color }));
    await this.clock.advance(0);
  }

  /** The color of what a get finds. */
  async color(): Promise<string | undefined> {
    return (await this.client.get(widgets, key))?.spec.color;
  }
}
