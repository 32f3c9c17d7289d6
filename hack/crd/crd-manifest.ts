import { crdYaml } from './crd-yaml.ts';
import { cronJobCrd } from './cronjob-crd.ts';
import { readJobTemplateFile } from './job-template-file.ts';
import { structuralFaults } from './structural-faults.ts';

/** The CRD's manifest, made from the zod schemas in api/v1. Throws when the API server would not take its schema. */
export function crdManifest(): string {
  const jobTemplate = readJobTemplateFile();
  const crd = cronJobCrd(jobTemplate.schema);
  const faults = structuralFaults(crd.spec.versions[0].schema.openAPIV3Schema);
  if (faults.length > 0) throw new Error(`the CRD is not structural:\n${faults.join('\n')}`);
  return crdYaml(crd, jobTemplate.kubernetesVersion);
}
