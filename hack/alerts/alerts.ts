/** The alerts of config/prometheus/rules.yaml. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface Alert {
  readonly alert: string;
  /** The condition in PromQL. */
  readonly expr: string;
  /** The duration for which `expr` must be true, in Prometheus' notation. */
  readonly for: string;
  /** `critical`: no run starts. */
  readonly labels: { readonly severity: 'critical' | 'warning' };
  /** `runbook_url` is the path of the runbook in the repository. The chart prepends the address of a server. */
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}

/** The PrometheusRule manifest. */
export const RULES_YAML = readFileSync(new URL('../../config/prometheus/rules.yaml', import.meta.url), 'utf8');

export const RULES: { readonly groups: readonly { readonly name: string; readonly rules: readonly Alert[] }[] } =
  parse(RULES_YAML).spec;

export const ALERTS: readonly Alert[] = RULES.groups.flatMap(({ rules }) => rules);
