import { SystemClock } from '../clock/system-clock.ts';
import type { ResourceRule } from '../kubernetes/policy-rule.ts';
import { discardLogger } from '../log/logger.ts';
import { Manager } from '../manager/manager.ts';
import { PrometheusMetrics } from '../metrics/prometheus-metrics.ts';
import type { WebhookDeclaration } from '../webhook/webhook-declaration.ts';
import { WebhookRegistry } from '../webhook/webhook-registry.ts';

/** A function that adds controllers and webhooks to a manager. */
export type SetUp = (manager: Manager) => void;

/** The RBAC rules and webhooks that a {@link SetUp} function declares. */
export interface SetUpDeclarations {
  readonly rules: readonly ResourceRule[];
  readonly webhooks: readonly WebhookDeclaration[];
}

const REQUEST_IN_SET_UP_MESSAGE = 'setUp sends a request: the generator of manifests calls setUp without a cluster';

/** Calls the function with a manager that never starts. Returns the rules and webhooks that the function declares. */
export function collectSetUpDeclarations(setUp: SetUp, name = 'manifests'): SetUpDeclarations {
  const reject = () => Promise.reject(new Error(REQUEST_IN_SET_UP_MESSAGE));
  const registry = new WebhookRegistry();
  const manager = new Manager({
    name,
    transport: { request: reject, stream: reject },
    clock: new SystemClock(),
    log: discardLogger,
    metrics: new PrometheusMetrics(),
    webhooks: () => registry,
  });
  setUp(manager);
  return { rules: manager.rules, webhooks: registry.webhooks.map(({ declaration }) => declaration) };
}

/**
 * Returns the RBAC rules for the controllers that the function adds. Use `collectRules` in your own scripts. For the
 * manifest generator, set the option `setUp` instead.
 */
export function collectRules(setUp: SetUp): readonly ResourceRule[] {
  return collectSetUpDeclarations(setUp).rules;
}
