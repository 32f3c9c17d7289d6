/** A controller of Widgets that records its reconciles. */
import { Informer } from '../cache/informer.ts';
import { Controller, type ControllerOptions } from '../controller/controller.ts';
import { enqueueRequestForObject } from '../controller/map-to-requests.ts';
import type { ReconcileContext, Request, Result } from '../controller/reconcile.ts';
import type { ReconcileMetrics } from '../controller/reconcile-metrics.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import { RecordingTransport } from '../testing/recording-transport.ts';
import { type Widget, widget, widgets } from './objects.ts';

export const HOUR_MS = 3_600_000;

/** Records the outcomes of reconciles. */
class RecordingReconcileMetrics implements ReconcileMetrics {
  readonly lines: string[] = [];

  setMaxConcurrentReconciles = (count: number) => void this.lines.push(`at most ${count}`);
  recordStart = () => void this.lines.push('started');
  recordEnd = (outcome: string, durationMs: number) => void this.lines.push(`${outcome} after ${durationMs}`);
  recordTerminalError = () => void this.lines.push('terminal');
  recordUnhandledRejection = () => void this.lines.push('unhandled rejection');
}

export type ReconcileFunction = (request: Request, context: ReconcileContext) => Promise<Result>;

/** A controller of Widgets. The test sends the watch events and sets the reconcile function. */
export class ControllerHarness {
  readonly clock = new FakeClock('2026-01-01T00:00:00Z');
  /**
   * The clock of the informer is separate, so that the informer does not restart the watch when a test advances
   * `clock`.
   */
  readonly watchClock = new FakeClock();
  readonly transport = new RecordingTransport();
  readonly log = new RecordingLogger();
  readonly metrics = new RecordingReconcileMetrics();
  readonly informer: Informer<Widget>;
  readonly abort = new AbortController();
  readonly controller: Controller;
  /** An entry for each reconcile: the name of the object and the milliseconds since the start. */
  readonly reconciles: string[] = [];
  /** The reconcile function, which tests can replace. */
  reconcile: ReconcileFunction = async () => ({});
  readonly #stop = new AbortController();
  #ended: Promise<void> | undefined;

  constructor(options: Partial<ControllerOptions> = {}) {
    const reconcile: ReconcileFunction = (request, context) => {
      this.reconciles.push(`${request.name} ${this.clock.monotonicMs()}`);
      return this.reconcile(request, context);
    };
    const { transport, log } = this;
    this.informer = new Informer({ resource: widgets, transport, log, clock: this.watchClock });
    this.controller = new Controller({
      name: 'widget',
      reconciler: { reconcile },
      clock: this.clock,
      log: this.log,
      reconcileMetrics: this.metrics,
      abortSignal: this.abort.signal,
      maxConcurrentReconciles: 100,
      ...options,
    });
  }

  /** Starts a controller with the given reconcile function, and waits until it has read the Widgets `names`. */
  static async with(
    names: readonly string[],
    reconcile?: ReconcileFunction,
    options?: Partial<ControllerOptions>,
  ): Promise<ControllerHarness> {
    const scene = new ControllerHarness(options);
    if (reconcile) scene.reconcile = reconcile;
    scene.controller.watch(scene.informer, enqueueRequestForObject);
    await scene.start(names.map((name) => widget({ name })));
    return scene;
  }

  async start(objects: readonly Widget[]): Promise<void> {
    this.#ended = this.controller.start(this.#stop.signal);
    void this.informer.run(this.abort.signal);
    await this.clock.advance(0);
    this.transport.watch().sendInitial(objects);
    await this.clock.advance(0);
  }

  async deliver(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Widget): Promise<void> {
    this.transport.watch().send(type, object);
    await this.clock.advance(0);
  }

  /** Sends a watch event for a change of the Widget `name`. */
  edit(name: string): Promise<void> {
    return this.deliver('MODIFIED', widget({ name, resourceVersion: `${10 + this.reconciles.length}` }));
  }

  /** Stops the controller. The returned function returns whether the controller has stopped. */
  async stop(): Promise<() => boolean> {
    let hasStopped = false;
    this.#stop.abort();
    void this.#ended?.then(() => {
      hasStopped = true;
    });
    await this.clock.advance(0);
    return () => hasStopped;
  }
}

/** A reconcile function that waits until the test releases the reconcile by the name of its object. */
export class ReconcileGate {
  readonly #open = new Map<string, PromiseWithResolvers<Result>>();
  maxConcurrent = 0;

  readonly reconcile: ReconcileFunction = ({ name }) => {
    const deferred = Promise.withResolvers<Result>();
    this.#open.set(name, deferred);
    this.maxConcurrent = Math.max(this.maxConcurrent, this.#open.size);
    return deferred.promise;
  };

  get running(): string[] {
    return [...this.#open.keys()];
  }

  finish(name: string, result: Result = {}): void {
    this.#open.get(name)?.resolve(result);
    this.#open.delete(name);
  }
}
