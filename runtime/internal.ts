/**
 * Internal parts of the library that the other programs and the tests of this repository use. The published package
 * does not have the entry point `controller-runtime/internal`.
 */
export { Cache } from './cache/cache.ts';
export { CachedClient } from './cache/cached-client.ts';
export { compactForm } from './cache/compact-form.ts';
export { Reflector } from './cache/reflector.ts';
export {
  type ConfigurationRef,
  getConfigurationResource,
  type WebhookConfiguration,
} from './certificates/ca-bundle.ts';
export { caBundleRules, certificateSecretRules } from './certificates/policy-rules.ts';
export { listKubeConfigContexts, loadKubectlConfig } from './client/kubeconfig/loading-rules.ts';
export { ParsedLabelSelector } from './client/label-selector.ts';
export { RequestLimiter } from './client/request-limiter.ts';
export { stripNulls } from './client/strip-nulls.ts';
export { getTlsFailure, type TlsFailure } from './client/tls-failure.ts';
export { aborted } from './clock/clock.ts';
export { withTimeout } from './clock/timeout.ts';
export { type CommandLine, parseCommandLine } from './flags/command-line.ts';
export { USAGE_EXIT_CODE } from './flags/exit-code.ts';
export { DEFAULT_TIMINGS } from './leader-election/leader-elector.ts';
export { discardLogger } from './log/logger.ts';
export { Manager } from './manager/manager.ts';
export { longestShutdownMs } from './manager/shutdown.ts';
export { PrometheusMetrics } from './metrics/prometheus-metrics.ts';
export { printAndExit } from './process/print-and-exit.ts';
export { typeErrorMessage } from './schema/issue-messages.ts';
export { KeyPairFiles } from './tls/key-pair-files.ts';
export { createSelfSignedKeyPair } from './tls/self-signed-key-pair.ts';
export { WebhookServer } from './webhook/webhook-server.ts';
export { BackOff } from './workqueue/back-off.ts';
