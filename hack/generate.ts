/**
 * Writes every generated file of the project: `make manifests`.
 *
 *   node hack/generate.ts           writes the stale files
 *   node hack/generate.ts --check   writes no file, exits 1 when a file is stale
 *
 * `--output-dir` sets the folder. Default: the folder of the project.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ConfigurationRef, caBundleRules, certificateSecretRules } from 'controller-runtime/internal';
import {
  crdPath,
  crdYaml,
  manifestYaml,
  rolesYaml,
  webhookConfigurations,
  writeGeneratedFiles,
} from 'controller-runtime/manifests';
import { CronJob } from '../api/v1/cronjob-types.ts';
import { CronJobRun } from '../api/v1/cronjobrun-types.ts';
import { COMMANDS } from '../kubectl-tcj/plugin/commands.ts';
import { RULES_YAML } from './alerts/alerts.ts';
import { createArgoCdConfigYaml } from './argocd/argocd-config.ts';
import { createCronJobCrdYaml } from './crd/cronjob-crd.ts';
import { createLintSchemaJson } from './crd/lint-schema.ts';
import { createScheduleSchemaYaml, createV2PatchYaml } from './crd/v2-changes.ts';
import { renderApiReference, renderRunReference } from './docs/api-reference.ts';
import { getCommandPagePath, renderCommandPage } from './docs/command-page.ts';
import { listManagerMetrics } from './docs/manager-metrics.ts';
import { renderMetricsPage } from './docs/metrics-page.ts';
import { MANAGER_RULES } from './manager-rules.ts';
import { CRON_JOB_WEBHOOKS } from './webhook/cronjob-webhooks.ts';

const createManagerRole = () => rolesYaml([{ name: 'manager-role', rules: MANAGER_RULES }]);
const createCertificatesRole = () =>
  rolesYaml([{ name: 'webhook-certificates-role', kind: 'Role', rules: certificateSecretRules(CERTIFICATE_SECRET) }]);
const createCertificatesClusterRole = () =>
  rolesYaml([{ name: 'webhook-certificates-cluster-role', rules: caBundleRules(listConfigurationRefs()) }]);
const createWebhookManifests = () => manifestYaml(webhookConfigurations(CRON_JOB_WEBHOOKS));

/** Returns the content of each file, without its first line, which marks the file as generated. */
const CONTENTS: Readonly<Record<string, () => string>> = {
  [crdPath(CronJob)]: createCronJobCrdYaml,
  [crdPath(CronJobRun)]: () => crdYaml(CronJobRun),
  'config/rbac/role.yaml': createManagerRole,
  'config/rbac/webhook_certificates_role.yaml': createCertificatesRole,
  'config/rbac/webhook_certificates_cluster_role.yaml': createCertificatesClusterRole,
  'config/webhook/manifests.yaml': createWebhookManifests,
  'config/overlays/v2/crd_patch.yaml': createV2PatchYaml,
  'config/argocd/argocd-cm.yaml': createArgoCdConfigYaml,
  // The chart contains copies, because helm cannot read files outside the folder of the chart.
  'charts/cronjob-operator/files/crd.yaml': createCronJobCrdYaml,
  'charts/cronjob-operator/files/crd-cronjobrun.yaml': () => crdYaml(CronJobRun),
  'charts/cronjob-operator/files/schedule-v2.yaml': createScheduleSchemaYaml,
  'charts/cronjob-operator/files/role.yaml': createManagerRole,
  'charts/cronjob-operator/files/webhook_certificates_role.yaml': createCertificatesRole,
  'charts/cronjob-operator/files/webhook_certificates_cluster_role.yaml': createCertificatesClusterRole,
  'charts/cronjob-operator/files/policies.yaml': () =>
    readFileSync(join(import.meta.dirname, '../config/policy/manifests.yaml'), 'utf8'),
  'charts/cronjob-operator/files/webhooks.yaml': createWebhookManifests,
  'charts/cronjob-operator/files/rules.yaml': () => RULES_YAML,
  'kubectl-tcj/plugin/lint/cronjob.schema.json': createLintSchemaJson,
  'docs/cronjob-v1.md': renderApiReference,
  'docs/cronjobrun-v1.md': renderRunReference,
  'docs/metrics.md': () => renderMetricsPage(listManagerMetrics()),
  ...Object.fromEntries(COMMANDS.map((command) => [getCommandPagePath(command), () => renderCommandPage(command)])),
};

/** The Secret with the certificate of the webhooks. The overlay for cert-manager uses this name too. */
const CERTIFICATE_SECRET = 'webhook-server-cert';

/** Returns the names in config/webhook, to which kustomize adds a prefix. */
function listConfigurationRefs(): readonly ConfigurationRef[] {
  return webhookConfigurations(CRON_JOB_WEBHOOKS).map(({ kind, metadata: { name } }) => ({ kind, name }));
}

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    'output-dir': { type: 'string', default: join(import.meta.dirname, '..') },
  },
});
const staleFiles = writeGeneratedFiles(
  Object.entries(CONTENTS).map(([path, generate]) => [path, generate()] as const),
  { folder: values['output-dir'], generator: 'hack/generate.ts', isCheck: values.check },
);
for (const path of staleFiles) {
  if (values.check) console.error(`${path} is stale: run \`make manifests\` and commit the result`);
  else console.log(`wrote ${path}`);
}
if (values.check && staleFiles.length > 0) process.exitCode = 1;
