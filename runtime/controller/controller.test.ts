import { describe, expect, test } from 'vitest';
import { Informer } from '../cache/informer.ts';
import { ApiError } from '../client/errors.ts';
import { sleep } from '../clock/clock.ts';
import { type Widget, widget, widgetOwner, widgets } from '../test-support/objects.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { RecordingLogger } from '../testing/recording-logger.ts';
import { RecordingTransport } from '../testing/recording-transport.ts';
import { ChannelSource } from './channel-source.ts';
import { Controller, type ControllerOptions } from './controller.ts';
import { enqueueRequestForObject, enqueueRequestForOwner, type MapToRequests } from './handler.ts';
import type { Predicate } from './predicate.ts';
import { type ReconcileContext, type Request, type Result, TerminalError } from './reconcile.ts';
import type { ReconcileMetrics } from './reconcile-metrics.ts';

const HOUR_MS = 3_600_000;

/** Writes down how passes ended. */
class Notes implements ReconcileMetrics {
  readonly lines: string[] = [];

  setMaxConcurrent = (count: number) => void this.lines.push(`at most ${count}`);
  started = () => void this.lines.push('started');
  finished = (outcome: string, durationMs: number) => void this.lines.push(`${outcome} after ${durationMs}`);
  terminalError = () => void this.lines.push('terminal');
}

type Pass = (request: Request, context: ReconcileContext) => Promise<Result>;

/** A controller of Widgets, the server's watch, and what each pass does. */
class Scene {
  readonly clock = new FakeClock('2026-01-01T00:00:00Z');
  /** The informer's own, so that its watch is never silent for too long, however long a test waits. */
  readonly watchClock = new FakeClock();
  readonly transport = new RecordingTransport();
  readonly log = new RecordingLogger();
  readonly metrics = new Notes();
  readonly informer: Informer<Widget>;
  readonly abort = new AbortController();
  readonly controller: Controller;
  /** Each pass: the name, and the milliseconds since the start. */
  readonly passes: string[] = [];
  /** What a pass does. */
  pass: Pass = async () => ({});
  readonly #stop = new AbortController();
  #ended: Promise<void> | undefined;

  constructor(options: Partial<ControllerOptions> = {}) {
    const reconcile: Pass = (request, context) => {
      this.passes.push(`${request.name} ${this.clock.monotonicMs()}`);
      return this.pass(request, context);
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

  /** A controller that runs, whose passes do what `pass` says, and which has seen the Widgets `names`. */
  static async with(names: readonly string[], pass?: Pass, options?: Partial<ControllerOptions>): Promise<Scene> {
    const scene = new Scene(options);
    if (pass) scene.pass = pass;
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

  async hear(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Widget): Promise<void> {
    this.transport.watch().send(type, object);
    await this.clock.advance(0);
  }

  /** Somebody edits the Widget `name`. */
  edit(name: string): Promise<void> {
    return this.hear('MODIFIED', widget({ name, resourceVersion: `${10 + this.passes.length}` }));
  }

  /** Asks it to stop; says whether it has. */
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

/** Passes that last until they are let go, by name. */
class Gate {
  readonly #open = new Map<string, PromiseWithResolvers<Result>>();
  mostAtOnce = 0;

  readonly pass: Pass = ({ name }) => {
    const pass = Promise.withResolvers<Result>();
    this.#open.set(name, pass);
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#open.size);
    return pass.promise;
  };

  get underWay(): string[] {
    return [...this.#open.keys()];
  }

  finish(name: string, result: Result = {}): void {
    this.#open.get(name)?.resolve(result);
    this.#open.delete(name);
  }
}

describe('a pass', () => {
  test('is made for every object there is', async () => {
    const scene = await Scene.with(['a', 'b']);
    expect(scene.passes).toEqual(['a 0', 'b 0']);
  });

  test('is told which object, and logs with its name and an ID of its own', async () => {
    const requests: Request[] = [];
    const scene = await Scene.with(['a', 'b'], async (request, { log }) => {
      requests.push(request);
      log.info('looked');
      return {};
    });
    expect(requests).toEqual(['a', 'b'].map((name) => ({ namespace: 'default', name })));
    const fields = scene.log.records.filter(({ message }) => message === 'looked').map((record) => record.fields);
    expect(fields).toMatchObject(['a', 'b'].map((name) => ({ controller: 'widget', namespace: 'default', name })));
    expect(fields[0]?.['reconcileID']).not.toBe(fields[1]?.['reconcileID']);
  });

  test('is made again for a change that comes while one is under way, once', async () => {
    const gate = new Gate();
    const scene = await Scene.with(['a'], gate.pass);
    await scene.edit('a');
    await scene.hear('DELETED', widget({ name: 'a' }));
    expect(scene.passes).toEqual(['a 0']);
    gate.finish('a');
    await scene.clock.advance(0);
    expect(scene.passes).toEqual(['a 0', 'a 0']);
    gate.finish('a');
    await scene.clock.advance(HOUR_MS);
    expect(scene.passes).toHaveLength(2);
  });

  test('learns that the manager cannot wait', async () => {
    let given: AbortSignal | undefined;
    const scene = await Scene.with(['a'], async (_, { signal }) => {
      given = signal;
      return {};
    });
    expect(given).toBe(scene.abort.signal);
  });
});

describe('after a pass', () => {
  test('that succeeds, the object sleeps until something happens to it', async () => {
    const scene = await Scene.with(['a']);
    await scene.clock.advance(HOUR_MS);
    expect(scene.passes).toEqual(['a 0']);
    await scene.edit('a');
    expect(scene.passes).toEqual(['a 0', `a ${HOUR_MS}`]);
  });

  test('that says when, the object is looked at then', async () => {
    const scene = await Scene.with(['a'], async () => ({ requeueAfterMs: 60_000 }));
    await scene.clock.advance(150_000);
    expect(scene.passes).toEqual(['a 0', 'a 60000', 'a 120000']);
  });

  test('that took its time is not late the next time for it', async () => {
    const scene = new Scene();
    const { clock } = scene;
    scene.pass = async (_, { signal }) => {
      await sleep(clock, 3_000, signal);
      return { requeueAfterMs: 60_000 };
    };
    scene.controller.watch(scene.informer, enqueueRequestForObject);
    await scene.start([widget({ name: 'a' })]);
    await clock.advance(125_000);
    expect(scene.passes).toEqual(['a 0', 'a 60000', 'a 120000']);
  });

  test.each([0, -1])('that says in %i ms, the object is looked at at once', async (requeueAfterMs) => {
    const results: Result[] = [{ requeueAfterMs }];
    const scene = await Scene.with(['a'], async () => results.shift() ?? {});
    await scene.clock.advance(HOUR_MS);
    expect(scene.passes).toEqual(['a 0', 'a 0']);
  });

  test('that throws, the object is looked at with back-off', async () => {
    const scene = await Scene.with(['a'], () => Promise.reject(new Error('no')));
    await scene.clock.advance(75);
    expect(scene.passes).toEqual(['a 0', 'a 5', 'a 15', 'a 35', 'a 75']);
  });

  test('that throws before it waits for anything, too', async () => {
    const scene = await Scene.with(['a'], () => {
      throw new Error('no');
    });
    await scene.clock.advance(5);
    expect(scene.passes).toEqual(['a 0', 'a 5']);
  });

  test.each([
    { returned: null, why: 'reconcile returned null' },
    { returned: true, why: 'reconcile returned true' },
    { returned: 'done', why: 'reconcile returned done' },
    { returned: { requeueAfterMs: Number.NaN }, why: 'reconcile returned requeueAfterMs NaN' },
    { returned: { requeueAfterMs: 'soon' }, why: 'reconcile returned requeueAfterMs soon' },
    {
      returned: { retry: true, retryAfterMs: Number.POSITIVE_INFINITY },
      why: 'reconcile returned retryAfterMs Infinity',
    },
  ])('that returns $returned, the object is looked at with back-off, and the error says so', async (example) => {
    const scene = await Scene.with(['a'], async () => example.returned as Result);
    await scene.clock.advance(15);
    expect(scene.passes).toEqual(['a 0', 'a 5', 'a 15']);
    expect(String(scene.log.errors[0]?.error)).toContain(example.why);
  });

  test('that returns nothing, the object sleeps until something happens to it', async () => {
    const scene = await Scene.with(['a'], async () => undefined as unknown as Result);
    await scene.clock.advance(HOUR_MS);
    expect(scene.passes).toEqual(['a 0']);
    expect(scene.log.errors).toEqual([]);
  });

  test('that asks for it, the object is looked at with back-off', async () => {
    const scene = await Scene.with(['a'], async () => ({ retry: true }));
    await scene.clock.advance(35);
    expect(scene.passes).toEqual(['a 0', 'a 5', 'a 15', 'a 35']);
  });

  test('that asks for it, the object is looked at sooner if its time comes sooner', async () => {
    const scene = await Scene.with(['a'], async () => ({ retry: true, requeueAfterMs: 12 }));
    await scene.clock.advance(39);
    expect(scene.passes).toEqual(['a 0', 'a 5', 'a 15', 'a 27', 'a 39']);
  });

  test('that fails and says when all the same, the object is looked at then, and with back-off', async () => {
    const error = new ApiError(503, {}, 7000);
    const scene = await Scene.with(['a'], async () => ({ error, requeueAfterMs: 5000 }));
    await scene.clock.advance(10_000);
    expect(scene.passes).toEqual(['a 0', 'a 5000', 'a 10000']);
    expect(scene.log.errors).toHaveLength(3);
    expect(scene.metrics.lines).toContain('error after 0');
    scene.pass = async () => ({ error });
    await scene.clock.advance(12_000);
    expect(scene.passes).toEqual(['a 0', 'a 5000', 'a 10000', 'a 15000', 'a 22000']);
  });

  test('that succeeds, back-off begins anew', async () => {
    const results: Result[] = [{ retry: true }, { retry: true }, {}, { retry: true }];
    const scene = await Scene.with(['a'], async () => results.shift() ?? {});
    await scene.clock.advance(100);
    await scene.edit('a');
    await scene.clock.advance(100);
    expect(scene.passes).toEqual(['a 0', 'a 5', 'a 15', 'a 100', 'a 105']);
  });

  test('that fails, the error is logged once, with how often that happened', async () => {
    const fault = new Error('no');
    const scene = await Scene.with(['a'], () => Promise.reject(fault));
    await scene.clock.advance(5);
    const record = { message: 'reconcile failed, will retry', error: fault };
    expect(scene.log.errors).toMatchObject([
      { ...record, fields: { controller: 'widget', name: 'a', failures: 1 } },
      { ...record, fields: { controller: 'widget', name: 'a', failures: 2 } },
    ]);
  });
});

/** Every retry waits for an hour. */
const SLOW_RETRIES = { rateLimits: { baseDelayMs: HOUR_MS, maxDelayMs: HOUR_MS } };

test('what waits for its retry is looked at as soon as the server can be heard again', async () => {
  const pass: Pass = ({ name }) => (name === 'a' ? Promise.reject(new Error('no')) : Promise.resolve({}));
  const scene = await Scene.with(['a', 'b'], pass, SLOW_RETRIES);
  const watch = scene.transport.watch();
  watch.bytes.destroy(new Error('socket hang up'));
  await scene.clock.advance(1);
  scene.pass = async () => ({});
  await scene.watchClock.advance(60_000);
  expect(scene.passes).toEqual(['a 0', 'b 0', 'a 1']);
});

test('watches that break every other second do not turn back-off into a loop', async () => {
  const scene = await Scene.with(['a'], () => Promise.reject(new Error('no')), SLOW_RETRIES);
  const breaks = 100;
  for (let index = 0; index < breaks; index++) {
    scene.transport.watch().send('BOOKMARK', { metadata: { resourceVersion: `${index + 1}` } });
    await scene.clock.advance(1000);
    scene.transport.watch().bytes.destroy(new Error('socket hang up'));
    await scene.clock.advance(1000);
    await scene.watchClock.advance(2000);
  }
  expect(scene.transport.watches).toHaveLength(breaks + 1);
  expect(scene.passes.length).toBeLessThanOrEqual(1 + 200 / 30 + 1);
  expect(scene.passes.length).toBeGreaterThan(5);
});

describe('a server that asks to wait is obeyed', () => {
  const tooMany = new ApiError(429, { details: { retryAfterSeconds: 7 } });

  test.each<{ name: string; pass: Pass }>([
    { name: 'throws what it said', pass: () => Promise.reject(tooMany) },
    { name: 'wraps what it said', pass: () => Promise.reject(new Error('create Job', { cause: tooMany })) },
    { name: 'hands on how long', pass: async () => ({ retry: true, retryAfterMs: 7000 }) },
  ])('when the pass $name', async ({ pass }) => {
    const scene = await Scene.with(['a'], pass);
    await scene.clock.advance(14_000);
    expect(scene.passes).toEqual(['a 0', 'a 7000', 'a 14000']);
  });
});

describe('a wake-up', () => {
  /** The first pass sets a wake-up in ten seconds; an edit after one second leads to `second`. */
  async function edited(second: Pass): Promise<Scene> {
    const scene = await Scene.with(['a'], async () => ({ requeueAfterMs: 10_000 }));
    await scene.clock.advance(1000);
    scene.pass = second;
    await scene.edit('a');
    scene.pass = async () => ({});
    await scene.clock.advance(HOUR_MS);
    return scene;
  }

  test.each([2000, 20_000])('is replaced by that of a pass in between, in %i ms', async (requeueAfterMs) => {
    const scene = await edited(async () => ({ requeueAfterMs }));
    expect(scene.passes).toEqual(['a 0', 'a 1000', `a ${1000 + requeueAfterMs}`]);
  });

  test('is void when a pass in between sets none', async () => {
    const scene = await edited(async () => ({}));
    expect(scene.passes).toEqual(['a 0', 'a 1000']);
  });

  test('comes as back-off when a pass in between fails', async () => {
    const scene = await edited(() => Promise.reject(new Error('no')));
    expect(scene.passes).toEqual(['a 0', 'a 1000', 'a 1005']);
  });

  test('comes in its time when a pass in between fails and must wait longer', async () => {
    const tooMany = new ApiError(429, { details: { retryAfterSeconds: 60 } });
    const scene = await edited(() => Promise.reject(tooMany));
    expect(scene.passes).toEqual(['a 0', 'a 1000', 'a 10000']);
  });

  test('stays when a pass in between throws, for as long as others throw', async () => {
    const scene = await Scene.with(['a'], async () => ({ requeueAfterMs: 10_000 }));
    await scene.clock.advance(1000);
    scene.pass = () => Promise.reject(new Error('no'));
    await scene.edit('a');
    // 1000, then with back-off: 1005, 1015, 1035 … 6115, then 11235.
    await scene.clock.advance(9000);
    expect(scene.passes.at(-1)).toBe('a 10000');
  });

  test('is void when a pass in between fails for good', async () => {
    const scene = await edited(() => Promise.reject(new TerminalError('never')));
    expect(scene.passes).toEqual(['a 0', 'a 1000']);
  });
});

describe('a TerminalError', () => {
  const fault = new TerminalError('spec.schedule: "x": no schedule');

  test('is logged, and the object left alone until it changes', async () => {
    const scene = await Scene.with(['a'], () => Promise.reject(fault));
    await scene.clock.advance(HOUR_MS);
    expect(scene.passes).toEqual(['a 0']);
    const message = 'reconcile failed, will not retry until the object changes';
    expect(scene.log.errors).toMatchObject([{ message, error: fault }]);
    await scene.edit('a');
    expect(scene.passes).toHaveLength(2);
  });

  test('ends the back-off of the errors before', async () => {
    const errors: Error[] = [new Error('no'), new Error('no'), fault, new Error('no')];
    const scene = await Scene.with(['a'], async () => {
      const error = errors.shift();
      if (error) throw error;
      return {};
    });
    await scene.clock.advance(100);
    await scene.edit('a');
    await scene.clock.advance(5);
    expect(scene.passes).toEqual(['a 0', 'a 5', 'a 15', 'a 100', 'a 105']);
  });
});

test('metrics are told how every pass ended, and after how long', async () => {
  const results: (() => Result)[] = [
    () => ({}),
    () => ({ requeueAfterMs: 60_000 }),
    () => ({ retry: true, requeueAfterMs: 60_000 }),
    () => {
      throw new Error('no');
    },
    () => {
      throw new TerminalError('never');
    },
  ];
  const scene = new Scene({ maxConcurrentReconciles: 1 });
  scene.controller.watch(scene.informer, enqueueRequestForObject);
  scene.pass = async (_, { signal }) => {
    await sleep(scene.clock, 1, signal);
    return results.shift()!();
  };
  await scene.start(['a', 'b', 'c', 'd', 'e'].map((name) => widget({ name })));
  await scene.clock.advance(5);
  const [first, ...lines] = scene.metrics.lines;
  expect(first).toBe('at most 1');
  expect(lines.filter((line) => line !== 'started')).toEqual([
    'success after 1',
    'requeue_after after 1',
    'requeue after 1',
    'error after 1',
    'terminal',
    'error after 1',
  ]);
});

describe('an event', () => {
  async function watching(
    toRequests: MapToRequests<Widget>,
    predicates: Predicate<Widget>[],
    objects: readonly Widget[] = [],
  ) {
    const scene = new Scene();
    scene.controller.watch(scene.informer, toRequests, predicates);
    await scene.start(objects);
    return scene;
  }

  test('that the predicates do not let through is not reconciled', async () => {
    const isRed = ({ spec }: Widget) => spec.color === 'red';
    const predicates = [{ onAdd: isRed, onUpdate: (_: Widget, object: Widget) => isRed(object), onDelete: isRed }];
    const red = widget({ name: 'red' });
    const blue = widget({ name: 'blue' }, { color: 'blue' });
    const scene = await watching(enqueueRequestForObject, predicates, [red, blue]);
    for (const { metadata, spec } of [red, blue]) {
      await scene.hear('MODIFIED', widget({ ...metadata, resourceVersion: '2' }, spec));
      await scene.hear('DELETED', widget({ ...metadata, resourceVersion: '3' }, spec));
    }
    expect(scene.passes).toEqual(['red 0', 'red 0', 'red 0']);
  });

  test('has to pass all predicates, each of which lets through what it does not look at', async () => {
    const scene = await watching(enqueueRequestForObject, [{ onAdd: () => true }, { onAdd: () => false }], [widget()]);
    await scene.edit('a');
    expect(scene.passes).toEqual(['a 0']);
  });

  test('that moves an object from one owner to another reconciles both', async () => {
    const scene = await watching(
      enqueueRequestForOwner(widgets),
      [],
      [widget({ ownerReferences: [widgetOwner('old')] })],
    );
    await scene.hear('MODIFIED', widget({ resourceVersion: '2', ownerReferences: [widgetOwner('new')] }));
    expect(scene.passes).toEqual(['old 0', 'old 0', 'new 0']);
  });

  test('before the controller starts is not lost', async () => {
    const scene = new Scene();
    scene.controller.watch(scene.informer, enqueueRequestForObject);
    void scene.informer.run(scene.abort.signal);
    await scene.clock.advance(0);
    scene.transport.watch().sendInitial([widget()]);
    await scene.clock.advance(0);
    expect(scene.passes).toEqual([]);
    void scene.controller.start(new AbortController().signal);
    await scene.clock.advance(0);
    expect(scene.passes).toEqual(['a 0']);
  });
});

describe('a mapper', () => {
  /** What the controller logs as an error: the message, and about which object. */
  const errorsOf = ({ log }: Scene) => log.errors.map(({ message, fields }) => ({ message, ...fields }));

  async function mapping(toRequests: MapToRequests<Widget>) {
    const scene = new Scene();
    scene.controller.watch(scene.informer, toRequests);
    await scene.start([widget()]);
    return scene;
  }

  test('may be asynchronous, as reads of the cache are', async () => {
    const scene = await mapping(async () => [{ namespace: 'x', name: 'b' }, { name: 'rack' }]);
    expect(scene.passes).toEqual(['b 0', 'rack 0']);
  });

  test('that names an object for the old and the new state reconciles it once', async () => {
    const scene = await mapping(async ({ metadata }) => [metadata]);
    await scene.edit('a');
    expect(scene.passes).toEqual(['a 0', 'a 0']);
  });

  test.each<{ name: string; toRequests: MapToRequests<Widget> }>([
    {
      name: 'throws',
      toRequests: () => {
        throw new Error('no');
      },
    },
    { name: 'rejects', toRequests: () => Promise.reject(new Error('no')) },
    { name: 'returns nothing', toRequests: (() => undefined) as unknown as MapToRequests<Widget> },
    { name: 'comes to nothing', toRequests: (async () => 7) as unknown as MapToRequests<Widget> },
    { name: 'returns what is no key', toRequests: (() => ['a']) as unknown as MapToRequests<Widget> },
  ])('that $name is logged, and the next event is heard', async ({ toRequests }) => {
    let isFirst = true;
    const scene = await mapping((object) => {
      if (!isFirst) return enqueueRequestForObject(object);
      isFirst = false;
      return toRequests(object);
    });
    const message = 'mapper failed, dropped the event';
    expect(errorsOf(scene)).toEqual([
      { controller: 'widget', message, kind: 'Widget', namespace: 'default', name: 'a' },
    ]);
    expect(scene.passes).toEqual([]);
    await scene.edit('a');
    expect(scene.passes).toEqual(['a 0']);
  });

  test('is asked, and the error logged, when a predicate throws', async () => {
    const scene = new Scene();
    const fail = () => {
      throw new Error('no');
    };
    const predicates = [{ onAdd: fail, onUpdate: fail, onDelete: fail }];
    scene.controller.watch(scene.informer, enqueueRequestForObject, predicates);
    await scene.start([widget()]);
    await scene.edit('a');
    await scene.hear('DELETED', widget());
    expect(scene.passes).toEqual(['a 0', 'a 0', 'a 0']);
    const record = { controller: 'widget', message: 'predicate failed, accepted the event', name: 'a' };
    expect(errorsOf(scene)).toMatchObject([record, record, record]);
  });
});

describe('a channel', () => {
  test('reconciles what is emitted, from before the start too, in every controller that has it', async () => {
    const source = new ChannelSource();
    const [first, second] = [new Scene(), new Scene()];
    first.controller.watchChannel(source);
    second.controller.watchChannel(source);
    source.emit({ namespace: 'default', name: 'early' });
    source.emit({ namespace: 'default', name: 'early' });
    await first.start([]);
    source.emit({ name: 'rack' });
    await first.clock.advance(0);
    expect(first.passes).toEqual(['early 0', 'rack 0']);
    await second.start([]);
    expect(second.passes).toEqual(['early 0', 'rack 0']);
  });

  test('is not heard by a controller that has stopped', async () => {
    const source = new ChannelSource();
    const scene = new Scene();
    scene.controller.watchChannel(source);
    await scene.start([]);
    await scene.stop();
    source.emit({ name: 'late' });
    await scene.clock.advance(0);
    expect(scene.passes).toEqual([]);
  });
});

describe('the resync', () => {
  test('reconciles every object once per period, those that are left alone too', async () => {
    const scene = new Scene();
    scene.controller.resync(scene.informer, HOUR_MS);
    await scene.start([widget({ name: 'a' }), widget({ name: 'b' })]);
    expect(scene.passes).toEqual([]);
    await scene.clock.advance(HOUR_MS);
    await scene.hear('DELETED', widget({ name: 'a' }));
    await scene.clock.advance(HOUR_MS);
    expect(scene.passes).toEqual([`a ${HOUR_MS}`, `b ${HOUR_MS}`, `b ${2 * HOUR_MS}`]);
  });

  test('leaves wake-ups as they are', async () => {
    const scene = new Scene();
    scene.controller.watch(scene.informer, enqueueRequestForObject);
    scene.controller.resync(scene.informer, 40_000);
    scene.pass = async () => ({ requeueAfterMs: 60_000 - (scene.clock.monotonicMs() % 60_000) });
    await scene.start([widget()]);
    await scene.clock.advance(120_000);
    expect(scene.passes).toEqual(['a 0', 'a 40000', 'a 60000', 'a 80000', 'a 120000']);
  });

  test('ends with the controller', async () => {
    const scene = new Scene();
    scene.controller.resync(scene.informer, HOUR_MS);
    await scene.start([]);
    scene.abort.abort();
    await scene.stop();
    expect(scene.clock.pendingTimers).toBe(0);
  });
});

describe('at once', () => {
  test('runs one pass, if nothing is said', async () => {
    const gate = new Gate();
    const scene = await Scene.with(['a', 'b'], gate.pass, { maxConcurrentReconciles: undefined });
    expect(gate.underWay).toEqual(['a']);
    gate.finish('a');
    await scene.clock.advance(0);
    expect([gate.underWay, gate.mostAtOnce]).toEqual([['b'], 1]);
  });

  const names = ['a', 'b', 'c', 'd', 'e'];

  test('run as many passes as are allowed, and no more', async () => {
    const gate = new Gate();
    const scene = await Scene.with(names, gate.pass, { maxConcurrentReconciles: 2 });
    expect(gate.underWay).toEqual(['a', 'b']);
    for (const name of names) {
      gate.finish(name);
      await scene.clock.advance(0);
    }
    expect([scene.passes.length, gate.mostAtOnce]).toEqual([5, 2]);
  });

  test('one object that always fails does not disturb the others', async () => {
    const scene = await Scene.with(
      ['bad', ...names],
      async ({ name }) => {
        if (name === 'bad') throw new Error('no');
        return { requeueAfterMs: 60_000 };
      },
      { maxConcurrentReconciles: 1 },
    );
    await scene.clock.advance(60_000);
    const good = scene.passes.filter((pass) => !pass.startsWith('bad'));
    expect(good).toEqual([...names.map((name) => `${name} 0`), ...names.map((name) => `${name} 60000`)]);
  });

  test('one object whose pass never ends does not hold up the others', async () => {
    const scene = await Scene.with(
      ['stuck', ...names],
      ({ name }) => (name === 'stuck' ? new Promise(() => {}) : Promise.resolve({})),
      { maxConcurrentReconciles: 2 },
    );
    expect(scene.passes).toEqual(['stuck 0', ...names.map((name) => `${name} 0`)]);
  });
});

test('one namespace with more passes that hang than may be under way at once leaves room for others', async () => {
  const scene = new Scene({ maxConcurrentReconciles: 20 });
  scene.pass = ({ namespace }) => (namespace === 'bad' ? new Promise(() => {}) : Promise.resolve({}));
  scene.controller.watch(scene.informer, enqueueRequestForObject);
  const bad = Array.from({ length: 100 }, (_, index) => widget({ name: `bad-${index}`, namespace: 'bad' }));
  const good = Array.from({ length: 10 }, (_, index) => widget({ name: `good-${index}`, namespace: 'good' }));
  await scene.start([...bad, ...good]);
  expect(scene.passes.filter((pass) => pass.startsWith('good'))).toHaveLength(10);
});

describe('stop', () => {
  test('finishes the passes under way, drops those that wait, and starts none', async () => {
    const gate = new Gate();
    const scene = await Scene.with(['a', 'b', 'c'], gate.pass, { maxConcurrentReconciles: 2 });
    const hasStopped = await scene.stop();
    gate.finish('a');
    await scene.edit('b');
    expect([scene.passes, hasStopped()]).toEqual([['a 0', 'b 0'], false]);
    gate.finish('b', { requeueAfterMs: 1000 });
    await scene.clock.advance(HOUR_MS);
    expect([scene.passes, hasStopped()]).toEqual([['a 0', 'b 0'], true]);
  });

  test('leaves no wake-up behind', async () => {
    const scene = await Scene.with(['a', 'b'], async ({ name }) =>
      name === 'a' ? { requeueAfterMs: 1000 } : { retry: true },
    );
    const hasStopped = await scene.stop();
    expect(hasStopped()).toBe(true);
    await scene.clock.advance(1000);
    expect(scene.passes).toEqual(['a 0', 'b 0']);
  });
});
