/** Generates the CustomResourceDefinition of CronJob from api/v1. */
import type { StructuralSchema } from 'controller-runtime';
import {
  type ConversionServer,
  type CustomResourceDefinition,
  crdYaml,
  customResourceDefinition,
  readKubernetesSchemas,
} from 'controller-runtime/manifests';
import { CronJob, JOB_TEMPLATE_SPEC } from '../../api/v1/cronjob-types.ts';
import { CronJob as CronJobWithV2 } from '../../api/v2/cronjob-types.ts';
import { adaptJobTemplate } from './adapt-job-template.ts';

/** Path of the checked-in schema of `JobTemplateSpec`. */
const JOB_TEMPLATE_FILE = new URL('job-template.schema.json', import.meta.url);

interface JobTemplateSchema {
  /** Version of the API server from which the schema comes, such as `v1.36.3`. */
  readonly kubernetesVersion: string;
  readonly schema: StructuralSchema;
}

export function readJobTemplateSchema(): JobTemplateSchema {
  const { kubernetesVersion, schemas } = readKubernetesSchemas(JOB_TEMPLATE_FILE);
  const schema = schemas[JOB_TEMPLATE_SPEC];
  if (schema === undefined) throw new Error(`${JOB_TEMPLATE_FILE} has no ${JOB_TEMPLATE_SPEC}: run \`make generate\``);
  return { kubernetesVersion, schema };
}

/** @param jobTemplate The schema of `spec.jobTemplate`. */
export function createCronJobCrd(jobTemplate = readJobTemplateSchema().schema): CustomResourceDefinition {
  return customResourceDefinition(CronJob, createKubernetesSchemas(jobTemplate));
}

/** @param server Server of the conversion. Default: the Service in config/webhook. */
export function createCronJobCrdWithV2(server?: ConversionServer): CustomResourceDefinition {
  return customResourceDefinition(CronJobWithV2, createKubernetesSchemas(readJobTemplateSchema().schema), server);
}

export function createCronJobCrdYaml(): string {
  const { kubernetesVersion, schema } = readJobTemplateSchema();
  const source = `# spec.jobTemplate is JobTemplateSpec of Kubernetes ${kubernetesVersion}, see hack/crd/job-template.schema.json.`;
  return `${source}\n${crdYaml(CronJob, createKubernetesSchemas(schema))}`;
}

function createKubernetesSchemas(jobTemplate: StructuralSchema) {
  return { [JOB_TEMPLATE_SPEC]: adaptJobTemplate(jobTemplate) };
}
