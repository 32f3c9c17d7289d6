/** The flags of a manager. The flags have the same names as in operators written in Go. */
import { DEFAULT_MAX_IN_FLIGHT } from '../client/transport.ts';
import { LOG_FORMATS } from '../log/log-line.ts';
import { LOG_LEVELS } from '../log/logger.ts';
import { ENABLE_WEBHOOKS_VARIABLE } from '../manager/add-webhooks.ts';
import { DEFAULT_GRACEFUL_SHUTDOWN_TIMEOUT_MS, DEFAULT_SYNC_PERIOD_MS } from '../manager/manager.ts';
import { getDefaultWebhookNames } from '../manager/webhook-names.ts';
import { DEFAULT_CERTIFICATE_LIFETIME_MS } from '../tls/issued-key-pair.ts';
import {
  bindAddress,
  bool,
  certificateDurationMs,
  durationMs,
  integer,
  namespaceList,
  oneOf,
  optionalText,
  text,
  textList,
} from './flag-values.ts';
import type { Flag, FlagTable, FlagValues } from './flags.ts';
import { LEADER_ELECTION_FLAGS } from './leader-election-flags.ts';

/** Options of {@link managerFlags}. */
export interface ManagerFlagDefaults {
  /** Name of the manager. The default names of the lease, the Secret and other objects begin with this name. */
  readonly name: string;
  /** Name of the lease. Default {@link name}. */
  readonly leaderElectionId?: string;
  /**
   * `own`: the manager creates the certificates of its webhooks and stores the certificates in the Secret
   * `<name>-webhook-certificate`, unless the user sets --webhook-cert-path. Default: webhooks are off until the user
   * sets --webhook-cert-path or --webhook-cert-secret.
   */
  readonly certificates?: 'own';
  /** Additional defaults, in the form that a user types: `{ isLeaderElected: 'true', metricsBindAddress: ':8443' }`. */
  readonly defaults?: Partial<Readonly<Record<ManagerFlagKey, string>>>;
}

/** If the value of a flag is the name of an object, {@link managerFlags} sets the default. */
const MANAGER_FLAGS = {
  metricsBindAddress: {
    group: 'Metrics',
    name: 'metrics-bind-address',
    value: 'address',
    default: '0',
    description: 'Address of the metrics endpoint, such as :8443. 0 turns the endpoint off.',
    parse: bindAddress,
  },
  isMetricsSecure: {
    group: 'Metrics',
    name: 'metrics-secure',
    value: 'bool',
    default: 'true',
    description: 'Serve metrics over HTTPS, and only to clients that the API server allows to get /metrics.',
    parse: bool,
  },
  metricsTokenAudiences: {
    group: 'Metrics',
    name: 'metrics-token-audiences',
    value: 'a,b',
    default: '',
    description:
      "Accepted audiences of the token in a scrape request. If empty, the manager accepts the API server's audiences.",
    parse: textList,
  },
  metricsCertPath: {
    group: 'Metrics',
    name: 'metrics-cert-path',
    value: 'folder',
    default: '',
    description:
      'Folder with tls.crt and tls.key for metrics. If empty, the manager generates a self-signed certificate.',
    parse: optionalText,
  },
  healthProbeBindAddress: {
    group: 'Health',
    name: 'health-probe-bind-address',
    value: 'address',
    default: ':8081',
    description: 'Address of the endpoints /healthz and /readyz. 0 turns both endpoints off.',
    parse: bindAddress,
  },
  webhookPort: {
    group: 'Webhooks',
    name: 'webhook-port',
    value: 'port',
    default: '9443',
    description: 'Port of the webhook server.',
    parse: integer(1, 65_535),
  },
  webhookCertPath: {
    group: 'Webhooks',
    name: 'webhook-cert-path',
    value: 'folder',
    default: '',
    description: `Folder with tls.crt and tls.key for webhooks. If --webhook-cert-secret is empty too, webhooks are off. ${ENABLE_WEBHOOKS_VARIABLE}=false in the environment also turns webhooks off.`,
    parse: optionalText,
    excludes: {
      flag: 'webhook-cert-secret',
      advice:
        'use the first for certificates from another issuer, the second for certificates that the manager generates',
    },
  },
  webhookCertSecret: {
    group: 'Webhooks',
    name: 'webhook-cert-secret',
    value: 'name',
    default: '',
    description:
      'Secret for webhook certificates that the manager generates and renews, instead of --webhook-cert-path.',
    parse: optionalText,
  },
  webhookClientCaFile: {
    group: 'Webhooks',
    name: 'webhook-client-ca-file',
    value: 'file',
    default: '',
    description:
      "File with the CA of the API server's client certificate. With this flag, the webhook server refuses connections without a client certificate from the CA.",
    parse: optionalText,
  },
  webhookCertDurationMs: {
    group: 'Webhooks',
    name: 'webhook-cert-duration',
    value: 'duration',
    default: `${DEFAULT_CERTIFICATE_LIFETIME_MS / 3_600_000}h`,
    description:
      'Lifetime of the certificates in --webhook-cert-secret, which are renewed after two thirds of the lifetime.',
    parse: certificateDurationMs,
  },
  webhookNamespace: {
    group: 'Webhooks',
    name: 'webhook-namespace',
    value: 'namespace',
    default: '',
    description:
      "Namespace of --webhook-cert-secret and --webhook-service. If empty, the manager uses the Pod's namespace.",
    parse: optionalText,
  },
  webhookService: {
    group: 'Webhooks',
    name: 'webhook-service',
    value: 'name',
    default: '',
    description:
      'Service through which the API server calls webhooks. The certificate is issued for the DNS name of the Service.',
    parse: text,
  },
  webhookUrlHosts: {
    group: 'Webhooks',
    name: 'webhook-url-hosts',
    value: 'a,b',
    default: '',
    description:
      'Additional hosts in the certificate, for webhook configurations that use a URL instead of the Service.',
    parse: textList,
  },
  mutatingWebhookConfiguration: {
    group: 'Webhooks',
    name: 'mutating-webhook-configuration',
    value: 'name',
    default: '',
    description:
      'MutatingWebhookConfiguration whose caBundle the manager updates. If empty, the manager skips the update.',
    parse: optionalText,
  },
  validatingWebhookConfiguration: {
    group: 'Webhooks',
    name: 'validating-webhook-configuration',
    value: 'name',
    default: '',
    description:
      'ValidatingWebhookConfiguration whose caBundle the manager updates. If empty, the manager skips the update.',
    parse: optionalText,
  },
  webhookShutdownDelayMs: {
    group: 'Webhooks',
    name: 'webhook-shutdown-delay',
    value: 'duration',
    default: '5s',
    description:
      'How long webhooks keep serving after shutdown begins, so that the API server has time to stop sending requests.',
    parse: durationMs('0 or more', (ms) => ms >= 0),
  },
  ...LEADER_ELECTION_FLAGS,
  kubeconfig: {
    group: 'Cluster',
    name: 'kubeconfig',
    value: 'file',
    default: '',
    description: "Kubeconfig file. Default: $KUBECONFIG, else the Pod's service account, else ~/.kube/config.",
    parse: optionalText,
  },
  context: {
    group: 'Cluster',
    name: 'context',
    value: 'name',
    default: '',
    description: 'Context of the kubeconfig. If empty, the manager uses the current context.',
    parse: optionalText,
  },
  namespaces: {
    group: 'Cluster',
    name: 'namespaces',
    value: 'a,b,c',
    default: '',
    description: 'Namespaces to watch. If empty, the manager watches all namespaces.',
    parse: namespaceList,
  },
  syncPeriodMs: {
    group: 'Work',
    name: 'sync-period',
    value: 'duration',
    default: `${DEFAULT_SYNC_PERIOD_MS / 60_000}m`,
    description: 'Interval of the resync, which reconciles every object even without a change.',
    parse: durationMs('more than 0', (ms) => ms > 0),
  },
  maxInflightRequests: {
    group: 'Work',
    name: 'max-inflight-requests',
    value: 'count',
    default: String(DEFAULT_MAX_IN_FLIGHT),
    description:
      'Maximum number of concurrent requests to the API server, excluding watches and lease renewals. Requests for one namespace can use about a quarter of this number.',
    parse: integer(1, 10_000),
  },
  gracefulShutdownTimeoutMs: {
    group: 'Work',
    name: 'graceful-shutdown-timeout',
    value: 'duration',
    default: `${DEFAULT_GRACEFUL_SHUTDOWN_TIMEOUT_MS / 1000}s`,
    description: 'How long running reconciles may take to finish during shutdown.',
    parse: durationMs('0 or more', (ms) => ms >= 0),
  },
  logLevel: {
    group: 'Logging',
    name: 'log-level',
    value: 'level',
    default: 'info',
    description: `Least severe level to log: one of ${LOG_LEVELS.join(', ')}.`,
    parse: oneOf(LOG_LEVELS),
  },
  logFormat: {
    group: 'Logging',
    name: 'log-format',
    value: 'format',
    default: 'json',
    description: `Format of log lines: one of ${LOG_FORMATS.join(', ')}.`,
    parse: oneOf(LOG_FORMATS),
  },
} as const satisfies FlagTable;

type ManagerFlagKey = keyof typeof MANAGER_FLAGS;

/** The parsed values of the flags that {@link managerFlags} returns. */
export type ManagerFlags = FlagValues<typeof MANAGER_FLAGS>;

/**
 * Returns the flags of a manager. A program can add its own flags. `toManagerOptions` converts the parsed flags to
 * options of the manager. Throws a TypeError for an invalid default.
 */
export function managerFlags(options: ManagerFlagDefaults): typeof MANAGER_FLAGS {
  const { name, leaderElectionId = name, certificates, defaults = {} } = options;
  const { secret, service, ...configurations } = getDefaultWebhookNames(name);
  const defaultsByKey: Readonly<Record<string, string>> = {
    leaderElectionId,
    webhookService: service,
    ...configurations,
    ...(certificates === 'own' && { webhookCertSecret: secret }),
    ...defaults,
  };
  const flagEntries = Object.entries<Flag<unknown>>(MANAGER_FLAGS).map(
    ([key, flag]) => [key, { ...flag, default: defaultsByKey[key] ?? flag.default }] as const,
  );
  for (const [, flag] of flagEntries) validateDefaultValue(flag);
  return Object.fromEntries(flagEntries) as unknown as typeof MANAGER_FLAGS; // the copies differ only in `default`, which is always a string
}

function validateDefaultValue({ name, default: text, parse }: Flag<unknown>): void {
  const parsed = parse(text);
  if (parsed.kind === 'invalid') throw new TypeError(`default of --${name}: "${text}" is not valid: ${parsed.message}`);
}
