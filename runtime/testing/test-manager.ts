/** Runs a manager in the process of the test. */
import type { Clock } from '../clock/clock.ts';
import { aborted } from '../clock/clock.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { discardLogger, type Logger } from '../log/logger.ts';
import { addWebhooks } from '../manager/add-webhooks.ts';
import { Manager } from '../manager/manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import { getManagedCertificateOptions } from '../manager/webhook-names.ts';
import { getManagerRoles } from '../manifests/manifests.ts';
import type { OperatorManifests } from '../manifests/operator-manifests.ts';
import { PrometheusMetrics } from '../metrics/prometheus-metrics.ts';
import type { TestCluster } from './cluster.ts';

/** Options of {@link startTestManager}. */
export interface TestManagerOptions {
  /** A `FakeApiServer` or a `TestEnvironment`. */
  readonly cluster: TestCluster;
  /** Registers controllers and webhooks, like the main file of the operator. */
  readonly setUp: (manager: Manager) => void;
  /**
   * Clock of schedules, back-off, `requeueAfterMs`, resyncs and `now`, usually a FakeClock. Default: the system clock.
   */
  readonly clock?: Clock;
  /** Default: log lines are discarded. */
  readonly log?: Logger;
  /** Name of the operator, which is also its field manager. Default `test`. */
  readonly name?: string;
  /** Namespaces to watch: names, or a label selector. Default: all namespaces. */
  readonly namespaces?: NonNullable<ManagerOptions['namespaces']>;
  /** Lease for leader election. Default: no leader election. */
  readonly leaderElection?: { readonly namespace: string; readonly name: string };
  /**
   * Options of the webhook server. {@link writeCertificate} creates a certificate for the webhook server. Default: no
   * webhooks.
   */
  readonly webhooks?: NonNullable<ManagerOptions['webhooks']>;
  /**
   * Manifests of the operator. The API server responds with 403 to requests that the generated roles do not allow. The
   * Role is in the namespace of {@link leaderElection}, or of the certificates in {@link webhooks}. Default: the manager
   * has all permissions.
   */
  readonly rbac?: OperatorManifests;
}

/** A running manager. Call {@link stop}, or declare the manager with `await using`. */
export interface TestManager extends AsyncDisposable {
  /** The running manager. */
  readonly manager: Manager;
  /** Resolves when the manager has stopped. Rejects if an error stopped the manager. */
  readonly ended: Promise<void>;
  /** Stops the manager gracefully, and returns {@link ended}. */
  stop(): Promise<void>;
}

/**
 * Starts a manager without health probes and metrics. Resolves when the caches have synced and the controllers run.
 * Rejects if the start fails.
 *
 * With a FakeClock, back-off and timers elapse only when the test advances the clock. For example, `await
 * clock.advance(1_000)` retries a failed reconcile, or a failed list of a cache during the start.
 */
export async function startTestManager(options: TestManagerOptions): Promise<TestManager> {
  const { cluster, setUp, clock = new SystemClock(), log = discardLogger, name = 'test', webhooks } = options;
  const user = await createUser(options);
  const transport = cluster.connect({ userAgent: name, user });
  const lease = options.leaderElection && {
    ...options.leaderElection,
    transport: cluster.connect({ userAgent: name, user }),
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
      started.resolve(); // this controller starts last
      return aborted(signal);
    },
  });
  const stopping = new AbortController();
  const ended = manager.start(stopping.signal);
  ended.catch(() => {}); // the caller may never await this promise
  const stop = () => {
    stopping.abort();
    return ended;
  };
  await Promise.race([started.promise, ended]);
  return { manager, ended, stop, [Symbol.asyncDispose]: stop };
}

async function createUser(options: TestManagerOptions): Promise<string | undefined> {
  const { cluster, rbac, leaderElection, webhooks } = options;
  if (rbac === undefined) return undefined;
  if (cluster.createUser === undefined) throw new TypeError('rbac: the cluster has no method `createUser`');
  const roles = getManagerRoles(rbac);
  const namespace = leaderElection?.namespace ?? getManagedCertificateOptions(webhooks)?.namespace;
  // Without a lease and certificates, the manager uses no permission of the Role, and its namespace may not exist.
  return await cluster.createUser(namespace === undefined ? { ...roles, namespaceRules: [] } : { ...roles, namespace });
}
