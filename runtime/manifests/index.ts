/** The functions of the manifest generator `controller-runtime generate`, for scripts of an operator. */
export { collectRules, type SetUp } from './collect-registrations.ts';
export {
  type ConversionServer,
  type CrdConversion,
  type CustomResourceDefinition,
  customResourceDefinition,
} from './custom-resource-definition.ts';
export { writeGeneratedFiles } from './generated-files.ts';
export { readKubernetesSchemas } from './kubernetes-schemas.ts';
export { manifestYaml } from './manifest-yaml.ts';
export { crdPath, crdYaml, type ManifestOptions, manifestFiles, rolesYaml } from './manifests.ts';
export type {
  ChartOptions,
  DeploymentOptions,
  ManagerManifestOptions,
  OperatorManifests,
  OperatorRole,
  ServiceMonitorOptions,
} from './operator-manifests.ts';
export { structuralFaults } from './structural-faults.ts';
export {
  type WebhookConfiguration,
  type WebhookConfigurationNames,
  type WebhookService,
  webhookConfigurations,
  withLocalWebhookUrl,
} from './webhook-configuration.ts';
