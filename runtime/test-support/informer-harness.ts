/**
 * An informer for tests. The test sends the watch events, and the harness records the notifications of the informer.
 */
import type { EventHandler } from '../cache/event-handler.ts';
import { Informer, type InformerOptions } from '../cache/informer.ts';
import { MAX_BACK_OFF_MS } from '../cache/watch-retries.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import { type FakeWatch, RecordingTransport } from '../testing/recording-transport.ts';
import { type Widget, widgets } from './objects.ts';

/** A handler that records notifications, such as `update a: 1 to 2`. */
export class RecordingHandler implements EventHandler<KubernetesObject> {
  #lines: string[] = [];

  onAdd({ metadata }: KubernetesObject): void {
    this.#lines.push(`add ${metadata.name}`);
  }

  onUpdate({ metadata: old }: KubernetesObject, { metadata }: KubernetesObject): void {
    this.#lines.push(`update ${metadata.name}: ${old.resourceVersion} to ${metadata.resourceVersion}`);
  }

  onDelete({ metadata }: KubernetesObject): void {
    this.#lines.push(`delete ${metadata.name}@${metadata.resourceVersion}`);
  }

  onForget({ metadata }: KubernetesObject): void {
    this.#lines.push(`forget ${metadata.name}`);
  }

  /** Returns the notifications since the last call. */
  take(): string[] {
    return this.#lines.splice(0);
  }
}

export class InformerHarness {
  readonly clock = new FakeClock();
  readonly transport = new RecordingTransport();
  readonly log = new RecordingLogger();
  readonly handler = new RecordingHandler();
  readonly informer: Informer<Widget>;
  readonly stop = new AbortController();

  constructor(options: Partial<InformerOptions<Widget>> = {}) {
    const { clock, transport, log } = this;
    this.informer = new Informer({ resource: widgets, clock, transport, log, ...options });
  }

  /** Starts an informer, and waits until its handler has received `objects`. */
  static async with(...objects: readonly Widget[]): Promise<InformerHarness> {
    const scene = new InformerHarness();
    scene.informer.addEventHandler(scene.handler);
    await scene.run();
    await scene.sendInitial(objects);
    scene.handler.take();
    return scene;
  }

  async run(): Promise<void> {
    void this.informer.run(this.stop.signal);
    await this.settled();
  }

  async sendInitial(objects: readonly KubernetesObject[], watch: FakeWatch = this.transport.watch()): Promise<void> {
    watch.sendInitial(objects);
    await this.settled();
  }

  /** Ends the watch with 410 Expired, and sends `objects` as the initial events of the next watch. */
  async relist(objects: readonly KubernetesObject[], watch: FakeWatch = this.transport.watch()): Promise<void> {
    watch.expire();
    await this.clock.advance(2 * MAX_BACK_OFF_MS);
    await this.sendInitial(objects, this.transport.watch(watch.request.path));
  }

  readonly settled = () => this.clock.advance(0);

  get keys(): string[] {
    return [...this.informer.store.keys()].sort();
  }
}
