/** The alerts as an object of the Prometheus operator. */
import { manifestYaml } from 'controller-runtime/manifests';
import { ALERTS, type Alert } from './alerts.ts';

/** Where the pages are, from the root of the repository. The chart puts the address of a server in its place. */
const RUNBOOKS = 'docs/runbooks';

/** Path of the page on an alert. */
export function runbookOf({ name }: Pick<Alert, 'name'>): string {
  return `${RUNBOOKS}/${name}.md`;
}

/** The manifest, for kustomize to name it and to put it into a namespace. */
export function prometheusRuleYaml(): string {
  return manifestYaml([
    {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: {
        name: 'alerts',
        namespace: 'system',
        labels: {
          'control-plane': 'controller-manager',
          'app.kubernetes.io/name': 'cronjob-operator',
          'app.kubernetes.io/managed-by': 'kustomize',
        },
      },
      spec: { groups: [{ name: 'cronjob-operator', rules: ALERTS.map(ruleOf) }] },
    },
  ]);
}

function ruleOf(alert: Alert) {
  const { name, expr, holdsFor, severity, summary, description } = alert;
  return {
    alert: name,
    expr,
    for: holdsFor,
    labels: { severity },
    annotations: { summary, description, runbook_url: runbookOf(alert) },
  };
}
