import type { ManagerOptions } from '../manager/manager-options.ts';
import type { ManagerFlags } from './manager-flags.ts';

/**
 * Converts the flags of {@link managerFlags} to options for `createManager`. The result does not contain the name and
 * the version of the manager.
 */
export function toManagerOptions(flags: ManagerFlags): Omit<ManagerOptions, 'name' | 'version'> {
  const { kubeconfig, context, namespaces, syncPeriodMs, gracefulShutdownTimeoutMs, logLevel, logFormat } = flags;
  const { leaderElectionId: name, leaderElectionNamespace: namespace, isLeaderElected } = flags;
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = flags;
  return {
    kubeconfig,
    context,
    namespaces: namespaces.length > 0 ? namespaces : undefined,
    leaderElection: isLeaderElected && { name, namespace, leaseDurationMs, renewDeadlineMs, retryPeriodMs },
    healthProbes: { bindAddress: flags.healthProbeBindAddress },
    metrics: {
      bindAddress: flags.metricsBindAddress,
      isSecure: flags.isMetricsSecure,
      certFolder: flags.metricsCertPath,
      tokenAudiences: flags.metricsTokenAudiences,
    },
    webhooks: toWebhookOptions(flags),
    syncPeriodMs,
    gracefulShutdownTimeoutMs,
    maxInFlightRequests: flags.maxInflightRequests,
    log: { level: logLevel, format: logFormat },
  };
}

const WEBHOOKS_DISABLED_REASON =
  'to turn them on, set --webhook-cert-path to a folder with tls.crt and tls.key, or --webhook-cert-secret to a name';

function toWebhookOptions(flags: ManagerFlags): NonNullable<ManagerOptions['webhooks']> {
  const { webhookCertPath: folder, webhookCertSecret: secret } = flags;
  const serverOptions = {
    port: flags.webhookPort,
    clientCaFile: flags.webhookClientCaFile,
    shutdownDelayMs: flags.webhookShutdownDelayMs,
  };
  if (folder !== undefined) return { ...serverOptions, certificates: { folder } };
  if (secret === undefined) return { off: WEBHOOKS_DISABLED_REASON };
  const certificates = {
    secret,
    namespace: flags.webhookNamespace,
    service: flags.webhookService,
    urlHosts: flags.webhookUrlHosts,
    mutatingWebhookConfiguration: flags.mutatingWebhookConfiguration ?? null,
    validatingWebhookConfiguration: flags.validatingWebhookConfiguration ?? null,
    validForMs: flags.webhookCertDurationMs,
  };
  return { ...serverOptions, certificates };
}
