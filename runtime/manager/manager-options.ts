/** The options of a manager. Everything but its name has a default. */
import type { Clock } from '../clock/clock.ts';
import type { BindAddress } from '../http/bind-address.ts';
import type { LogFormat } from '../log/log-line.ts';
import type { Logger, LogLevel } from '../log/logger.ts';

export interface ManagerOptions {
  /**
   * Name of the operator, an RFC 1123 label such as `website-operator`. It is the field manager of writes, the user
   * agent of requests, and the prefix of the operator's objects: its lease and its certificates.
   */
  readonly name: string;
  /** Version of the operator, for the user agent and the log. Default: no version. */
  readonly version?: string;
  /** Path of the kubeconfig. Default: `$KUBECONFIG`, then the ServiceAccount of the pod, then `~/.kube/config`. */
  readonly kubeconfig?: string | undefined;
  /** Namespaces to work in. Default: all namespaces. */
  readonly namespaces?: readonly string[] | undefined;
  /** Work only while this process holds a lease, so that several replicas can stand by. Default false. */
  readonly leaderElection?: boolean | LeaderElectionOptions;
  /** Default `{ bindAddress: ':8081' }`. */
  readonly healthProbes?: { readonly bindAddress: BindAddress | string };
  /** Default off. */
  readonly metrics?: MetricsOptions;
  /** Default off: the manager then does not serve registered webhooks, and logs this. */
  readonly webhooks?: WebhookOptions | WebhooksOff;
  /** How often every object is reconciled without an event, in milliseconds. Default 10 minutes. */
  readonly syncPeriodMs?: number;
  /** How long passes may take after the stop before the manager aborts them, in milliseconds. Default 30 s. */
  readonly gracefulShutdownTimeoutMs?: number;
  /** Maximum number of concurrent requests to the API server, not counting watches and the lease. Default 64. */
  readonly maxInFlightRequests?: number;
  /** Default `info` and `json`. Lines go to stderr; your own {@link Logger} decides where its lines go. */
  readonly log?: LogOptions | Logger;
  /**
   * Clock of schedules, back-off, `requeueAfterMs`, resyncs, the lease and `now`. Default: the system clock; tests may
   * use a FakeClock.
   */
  readonly clock?: Clock;
}

export interface LogOptions {
  readonly level?: LogLevel;
  readonly format?: LogFormat;
}

export interface LeaderElectionOptions {
  /** Name of the lease. Default: the name of the manager. */
  readonly name?: string;
  /** Namespace of the lease. Default: the namespace of the pod; outside of a pod the start fails without it. */
  readonly namespace?: string | undefined;
  /** How long other candidates wait after the last renewal of a lease, in milliseconds. Default 15 s. */
  readonly leaseDurationMs?: number;
  /** A leader whose last renewal is older than this stops, in milliseconds. Less than {@link leaseDurationMs}. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Wait between attempts to acquire or renew the lease, in milliseconds. Default 2 s. */
  readonly retryPeriodMs?: number;
}

export interface MetricsOptions {
  /** Address to listen on: `:8443`. */
  readonly bindAddress: BindAddress | string;
  /** Serve over HTTPS, only to clients that the API server allows to get /metrics. Default true. */
  readonly isSecure?: boolean;
  /** Folder with tls.crt and tls.key. Default: the manager creates a self-signed certificate. */
  readonly certFolder?: string | undefined;
  /** A scrape's token must be for one of these audiences. Default: the audiences of the API server. */
  readonly tokenAudiences?: readonly string[];
}

export interface WebhookOptions {
  /**
   * `own`: the manager creates and renews the certificates and sets the `caBundle` of the webhook configurations, with
   * the default names of {@link OwnCertificateOptions}. A folder: it has tls.crt and tls.key, which another program
   * creates and renews.
   */
  readonly certificates: 'own' | OwnCertificateOptions | { readonly folder: string };
  /** Default 9443. */
  readonly port?: number;
  /** File with the CA of the API server's client certificate. When given, the server rejects all other clients. */
  readonly clientCaFile?: string | undefined;
  /**
   * How long the server answers reviews after the stop, in milliseconds: the API server keeps sending them until it has
   * noticed. Default 5 s.
   */
  readonly shutdownDelayMs?: number;
}

export interface OwnCertificateOptions {
  /** Secret that stores the certificates. Default `<name>-webhook-certificate`. */
  readonly secret?: string;
  /**
   * Namespace of the Secret and the Service. Default: the namespace of the pod; outside of a pod the start fails
   * without it.
   */
  readonly namespace?: string | undefined;
  /**
   * Service through which the API server calls webhooks: the certificate covers its name. Default
   * `<name>-webhook-service`.
   */
  readonly service?: string;
  /**
   * Hosts in URLs of webhook configurations that call the manager without a Service, as DNS names and IPv4 addresses:
   * the certificate also covers them, and the manager sets the `caBundle` of such webhooks too. For a manager on your
   * machine. Default: no hosts.
   */
  readonly urlHosts?: readonly string[];
  /**
   * Configuration whose `caBundle` the manager sets. Default `<name>-mutating-webhook-configuration`; `null` for no
   * configuration.
   */
  readonly mutatingWebhookConfiguration?: string | null;
  /**
   * Configuration whose `caBundle` the manager sets. Default `<name>-validating-webhook-configuration`; `null` for no
   * configuration.
   */
  readonly validatingWebhookConfiguration?: string | null;
  /** Lifetime of the certificates, in milliseconds; the manager renews them after two thirds of it. Default 90 days. */
  readonly validForMs?: number;
}

/** Why webhooks are off, and how to turn them on. */
export interface WebhooksOff {
  readonly off: string;
}
