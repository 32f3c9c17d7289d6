/** A whole manager in the process of the test, on a clock that the test moves and a log that it reads. */
import type { Clock } from '../clock/clock.ts';
import { aborted } from '../clock/clock.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { discardLogger, type Logger } from '../log/logger.ts';
import { Manager } from '../manager/manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import { addWebhooks } from '../manager/webhooks.ts';
import { PrometheusMetrics } from '../metrics/prometheus-metrics.ts';
import type { TestCluster } from './cluster.ts';

/** What a manager of a test works on, and what differs from the defaults of `createManager`. */
export interface TestManagerOptions {
  readonly cluster: TestCluster;
  /** Registers controllers and webhooks: what the operator's main file does between `createManager` and `run`. */
  readonly setUp: (manager: Manager) => void;
  /** Of schedules, back-off, `requeueAfterMs`, resyncs and `now`. Default the machine's; most tests want a FakeClock. */
  readonly clock?: Clock;
  /** Default none. */
  readonly log?: Logger;
  /** Of the operator: its field manager. Default `test`. */
  readonly name?: string;
  /** Namespaces to work in. Default all. */
  readonly namespaces?: readonly string[];
  /** Default none: controllers run at once. */
  readonly leaderElection?: { readonly namespace: string; readonly name: string };
  /** Default off. Certificates of a folder suit tests: {@link writeCertificate}. */
  readonly webhooks?: NonNullable<ManagerOptions['webhooks']>;
}

/** A manager that runs until `stop`, or until it goes out of the scope of an `await using`. */
export interface TestManager extends AsyncDisposable {
  readonly manager: Manager;
  /** Resolves when it has stopped; rejects with what it failed of. */
  readonly ended: Promise<void>;
  /** Stops it in good order, and is what `ended` is. */
  stop(): Promise<void>;
}

/**
 * Starts a manager; resolves when its caches have synced and its controllers run, rejects when it fails before. It serves neither
 * probes nor metrics.
 *
 * On a FakeClock nothing that waits goes on by itself: after an error, `await clock.advance(1_000)` brings the next try. That is so
 * from the start, where caches that meet a fault try again on that clock.
 */
export async function startTestManager(options: TestManagerOptions): Promise<TestManager> {
  const { cluster, setUp, clock = new SystemClock(), log = discardLogger, name = 'test', webhooks } = options;
  const transport = cluster.connect({ userAgent: name });
  const lease = options.leaderElection && {
    ...options.leaderElection,
    transport: cluster.connect({ userAgent: name }),
  };
  const manager = new Manager({
    name,
    transport,
    clock,
    log,
    metrics: new PrometheusMetrics(),
    namespaces: options.namespaces,
    leaderElection: lease,
    ...(webhooks && { webhooks: (host) => addWebhooks({ manager: host, transport }, { name, webhooks }) }),
  });
  setUp(manager);
  const started = Promise.withResolvers<void>();
  manager.addController({
    start: (signal) => {
      started.resolve(); // it is the last of the controllers
      return aborted(signal);
    },
  });
  const stopping = new AbortController();
  const ended = manager.start(stopping.signal);
  ended.catch(() => {}); // whoever cares awaits it
  const stop = () => {
    stopping.abort();
    return ended;
  };
  await Promise.race([started.promise, ended]);
  return { manager, ended, stop, [Symbol.asyncDispose]: stop };
}
