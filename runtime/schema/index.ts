/** The generator of manifests: `controller-runtime generate` as functions, for an operator's own scripts. */
export { customResourceDefinition } from './custom-resource-definition.ts';
export { writeGeneratedFiles } from './generated-files.ts';
export { readKubernetesSchemas } from './kubernetes-schemas.ts';
export { manifestFiles, type OperatorManifests, type OperatorRole } from './manifests.ts';
export { webhookConfigurations } from './webhook-configuration.ts';
