/** Options of a manager. Only the name is required. */
import type { NamespaceSelector } from '../cache/selected-namespaces.ts';
import type { Clock } from '../clock/clock.ts';
import type { BuilderOptions } from '../controller/controller-builder.ts';
import type { BindAddress } from '../http/bind-address.ts';
import type { LogFormat } from '../log/log-line.ts';
import type { Logger, LogLevel } from '../log/logger.ts';

/** Options of {@link createManager}. Only `name` is required. */
export interface ManagerOptions {
  /**
   * Name of the operator, an RFC 1123 label such as `website-operator`. The manager uses this name as the field manager
   * of writes, as the user agent of requests, and in the default names of the lease and the Secret.
   */
  readonly name: string;
  /** Version of the operator, for the user agent and the log. Default: no version. */
  readonly version?: string;
  /** Path of the kubeconfig. Default: `$KUBECONFIG`, then the ServiceAccount of the pod, then `~/.kube/config`. */
  readonly kubeconfig?: string | undefined;
  /** Name of a context in the kubeconfig. Default: the current context. */
  readonly context?: string | undefined;
  /**
   * Namespaces that the controllers watch, also in other clusters: a list of names, or a label selector for namespaces,
   * such as `{ labelSelector: 'team=a' }`. When the labels of a namespace change, the manager starts or stops watching
   * the namespace. Default: all namespaces.
   */
  readonly namespaces?: readonly string[] | NamespaceSelector | undefined;
  /** Whether controllers run only in the replica that holds the lease. Default false. */
  readonly leaderElection?: boolean | LeaderElectionOptions;
  /** Address of the health probes. Default `{ bindAddress: ':8081' }`. */
  readonly healthProbes?: { readonly bindAddress: BindAddress | string };
  /** Options of the metrics server. Default: the manager does not serve metrics. */
  readonly metrics?: MetricsOptions;
  /**
   * Options of the webhook server. Default: the manager does not serve webhooks, and logs `webhooks are off` if the
   * operator registers webhooks.
   */
  readonly webhooks?: WebhookOptions | WebhooksOff;
  /** Interval at which every object is reconciled even without an event, in milliseconds. Default 10 minutes. */
  readonly syncPeriodMs?: number;
  /** Default options of the controllers. `withOptions` of a controller takes precedence. */
  readonly controllers?: BuilderOptions;
  /**
   * Time limit for the first sync of the caches, in milliseconds. The manager fails after this time, for example
   * because a CustomResourceDefinition is missing. For another cluster, the manager only logs an error and continues to
   * wait. Default: the manager waits without a limit, and is not ready.
   */
  readonly cacheSyncTimeoutMs?: number | undefined;
  /** During shutdown, time after which the manager aborts running reconciles, in milliseconds. Default 30 s. */
  readonly gracefulShutdownTimeoutMs?: number;
  /**
   * Maximum number of concurrent requests to the API server, excluding watches and requests for the lease. Default 64.
   */
  readonly maxInFlightRequests?: number;
  /**
   * Options of the log, or your own {@link Logger}. The manager writes the log to stderr. Default: level `info` and format `json`.
   */
  readonly log?: LogOptions | Logger;
  /** Clock of the controllers, the cache and the lease. Default: the system clock. Tests can use a FakeClock. */
  readonly clock?: Clock;
}

/** Options of the log of a manager. */
export interface LogOptions {
  /** Least severe level to log. Default `info`. */
  readonly level?: LogLevel;
  /** Format of log lines: `json` for one JSON object per line, `human` for text. Default `json`. */
  readonly format?: LogFormat;
}

/** Options of the lease. The default durations are the same as in client-go. */
export interface LeaderElectionOptions {
  /** Name of the lease. Default: the name of the manager. */
  readonly name?: string;
  /** Namespace of the lease. Default: the namespace of the pod. Required if the manager runs outside of a pod. */
  readonly namespace?: string | undefined;
  /** Time from the last renewal until other candidates may acquire the lease, in milliseconds. Default 15 s. */
  readonly leaseDurationMs?: number;
  /**
   * Time from the last renewal until the leader stops, in milliseconds. Must be less than {@link leaseDurationMs}.
   * Default 10 s.
   */
  readonly renewDeadlineMs?: number;
  /** Interval between attempts to acquire or renew the lease, in milliseconds. Default 2 s. */
  readonly retryPeriodMs?: number;
}

/** Options of the metrics server. */
export interface MetricsOptions {
  /** Address of the server, such as `:8443`. */
  readonly bindAddress: BindAddress | string;
  /** Whether the server uses HTTPS and accepts only clients that are authorized to get /metrics. Default true. */
  readonly isSecure?: boolean;
  /** Folder that contains tls.crt and tls.key. Default: the manager creates a self-signed certificate. */
  readonly certFolder?: string | undefined;
  /** Accepted audiences of the client's token. Default: the audiences of the API server. */
  readonly tokenAudiences?: readonly string[];
}

/** Options of the webhook server. */
export interface WebhookOptions {
  /**
   * With `own` or {@link ManagedCertificateOptions}, the manager creates and renews the certificates, and sets the
   * `caBundle` of the webhook configurations. With a folder, a program such as cert-manager creates and renews tls.crt
   * and tls.key in the folder.
   */
  readonly certificates: 'own' | ManagedCertificateOptions | { readonly folder: string };
  /** Port of the webhook server. Default 9443. */
  readonly port?: number;
  /**
   * File with the CA of the API server's client certificate. If the option is set, the server accepts only clients with
   * a certificate from the CA.
   */
  readonly clientCaFile?: string | undefined;
  /**
   * Time in milliseconds for which the webhook server still accepts reviews after the shutdown begins. The API server
   * continues to send reviews until the Service no longer contains the Pod. Default 5 s.
   */
  readonly shutdownDelayMs?: number;
}

/** Options for webhook certificates that the manager creates and renews. */
export interface ManagedCertificateOptions {
  /** Name of the Secret that stores the certificates. Default `<name>-webhook-certificate`. */
  readonly secret?: string;
  /**
   * Namespace of the Secret and the Service. Default: the namespace of the pod. Required if the manager runs outside of
   * a pod.
   */
  readonly namespace?: string | undefined;
  /**
   * Name of the Service through which the API server calls the webhooks. The certificate contains the name of the
   * Service. Default `<name>-webhook-service`.
   */
  readonly service?: string;
  /**
   * DNS names and IPv4 addresses for webhook configurations that contain a URL instead of a Service, for example for a
   * manager on your machine. The certificate is also valid for the hosts in this list, and the manager also sets the
   * `caBundle` of webhooks with these hosts. Default: no hosts.
   */
  readonly urlHosts?: readonly string[];
  /**
   * Name of the MutatingWebhookConfiguration whose `caBundle` the manager sets; `null` for no configuration. Default
   * `<name>-mutating-webhook-configuration`.
   */
  readonly mutatingWebhookConfiguration?: string | null;
  /**
   * Name of the ValidatingWebhookConfiguration whose `caBundle` the manager sets; `null` for no configuration. Default
   * `<name>-validating-webhook-configuration`.
   */
  readonly validatingWebhookConfiguration?: string | null;
  /**
   * Lifetime of the certificates, in milliseconds. The manager renews a certificate after two thirds of its lifetime.
   * Default 90 days.
   */
  readonly validForMs?: number;
}

/**
 * Disables webhooks. The manager logs the value of `off` as the reason, so the value should explain how to enable
 * webhooks.
 */
export interface WebhooksOff {
  /** The reason that the manager logs. */
  readonly off: string;
}
