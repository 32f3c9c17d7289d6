/** The alerts of config/prometheus/rules.yaml. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface Alert {
  /** Its name. */
  readonly alert: string;
  /** PromQL. */
  readonly expr: string;
  /** How long `expr` must hold, as Prometheus writes it. */
  readonly for: string;
  /** `critical`: no run starts. */
  readonly labels: { readonly severity: 'critical' | 'warning' };
  /** `runbook_url` is the path of its page, from the root of the repository; the chart puts the address of a server before it. */
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}

/** The manifest as it is written. */
export const RULES_YAML = readFileSync(new URL('../../config/prometheus/rules.yaml', import.meta.url), 'utf8');

/** Content of a file of rules. */
export const RULES: { readonly groups: readonly { readonly name: string; readonly rules: readonly Alert[] }[] } =
  parse(RULES_YAML).spec;

export const ALERTS: readonly Alert[] = RULES.groups.flatMap(({ rules }) => rules);
