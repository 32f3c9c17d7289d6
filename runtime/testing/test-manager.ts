/** A whole manager in the test process, with the test's clock and log. */
import type { Clock } from '../clock/clock.ts';
import { aborted } from '../clock/clock.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { discardLogger, type Logger } from '../log/logger.ts';
import { Manager } from '../manager/manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import { addWebhooks } from '../manager/webhooks.ts';
import { PrometheusMetrics } from '../metrics/prometheus-metrics.ts';
import type { TestCluster } from './cluster.ts';

/** The cluster of a test's manager, and its differences from the defaults of `createManager`. */
export interface TestManagerOptions {
  readonly cluster: TestCluster;
  /** Registers controllers and webhooks: what the operator's main file does between `createManager` and `run`. */
  readonly setUp: (manager: Manager) => void;
  /**
   * Clock of schedules, back-off, `requeueAfterMs`, resyncs and `now`. Default: the system clock; most tests use a
   * FakeClock.
   */
  readonly clock?: Clock;
  /** Default: no log. */
  readonly log?: Logger;
  /** Name of the operator: its field manager. Default `test`. */
  readonly name?: string;
  /** Namespaces to work in. Default: all namespaces. */
  readonly namespaces?: readonly string[];
  /** Default: no leader election; controllers run at once. */
  readonly leaderElection?: { readonly namespace: string; readonly name: string };
  /** Default off. Certificates from a folder suit tests: {@link writeCertificate}. */
  readonly webhooks?: NonNullable<ManagerOptions['webhooks']>;
}

/** A manager that runs until `stop`, or until the end of the scope of an `await using`. */
export interface TestManager extends AsyncDisposable {
  readonly manager: Manager;
  /** Resolves when it has stopped; rejects with the error that stopped it. */
  readonly ended: Promise<void>;
  /** Stops it in order, and returns `ended`. */
  stop(): Promise<void>;
}

/**
 * Starts a manager; resolves when its caches have synced and its controllers run, rejects when it fails before that. It
 * serves neither probes nor metrics.
 *
 * With a FakeClock, waits end only when the test moves the clock: after an error, `await clock.advance(1_000)` triggers
 * the next attempt. This also applies at the start, when caches retry after a fault.
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
      started.resolve(); // the last controller
      return aborted(signal);
    },
  });
  const stopping = new AbortController();
  const ended = manager.start(stopping.signal);
  ended.catch(() => {}); // callers may await it
  const stop = () => {
    stopping.abort();
    return ended;
  };
  await Promise.race([started.promise, ended]);
  return { manager, ended, stop, [Symbol.asyncDispose]: stop };
}
