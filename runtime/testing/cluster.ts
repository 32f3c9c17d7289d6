import type { HttpTransport } from '../client/transport.ts';
import type { Clock } from '../clock/clock.ts';
import type { PolicyRule } from '../kubernetes/policy-rule.ts';

/** An API server for tests: a {@link FakeApiServer} or a {@link TestEnvironment}. */
export interface TestCluster {
  /** Returns a transport to the API server. The transport is closed when the API server stops. */
  connect(options?: ConnectOptions): HttpTransport;
  /**
   * Creates a user with only these roles, and returns the name of the user for {@link ConnectOptions.user}. Resolves
   * when the API server enforces the roles. `startTestManager` needs `createUser` for its option `rbac`.
   */
  createUser?(roles: UserRoles): Promise<string>;
}

/** The roles of a user, such as the ServiceAccount of an operator. */
export interface UserRoles {
  /** Name of the ServiceAccount. On a real API server, the name gets a suffix, so that users do not share roles. */
  readonly name: string;
  /** Namespace of the ServiceAccount and of its Role. */
  readonly namespace: string;
  /** Rules of the ClusterRole. */
  readonly clusterRules: readonly PolicyRule[];
  /** Rules of the Role. */
  readonly namespaceRules: readonly PolicyRule[];
}

/** Options of a transport. */
export interface ConnectOptions {
  /** User agent of the requests. Default `test`. */
  readonly userAgent?: string;
  /** Clock for timeouts. Default: the system clock, because requests take real time. */
  readonly clock?: Clock;
  /**
   * User that the requests impersonate: a name that {@link TestCluster.createUser} returned. Default: a user with all
   * permissions.
   */
  readonly user?: string | undefined;
}
