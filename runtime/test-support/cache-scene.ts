/** A cache whose watches the test feeds. */
import { Cache, type CacheOptions } from '../cache/cache.ts';
import { discardLogger } from '../log/logger.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingTransport } from '../testing/recording-transport.ts';

export const WIDGETS = '/apis/example.com/v1/widgets';

export const RACKS = '/apis/example.com/v1/racks';

export class Scene {
  readonly clock = new FakeClock();
  readonly transport = new RecordingTransport();
  readonly cache: Cache;
  readonly #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor({ namespaces }: Pick<CacheOptions, 'namespaces'> = {}) {
    this.cache = new Cache({ transport: this.transport, clock: this.clock, log: discardLogger, namespaces });
  }

  readonly start = async () => {
    this.#ended = this.cache.start(this.#stop.signal);
    await this.settled();
  };

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  readonly settled = () => this.clock.advance(0);
}
