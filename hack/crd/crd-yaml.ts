/** The text of a generated CRD manifest. */
import { stringify } from 'yaml';
import type { CustomResourceDefinition } from './cronjob-crd.ts';

/** Keys are sorted, so that only what the CRD says can change its text. */
export function crdYaml(crd: CustomResourceDefinition, kubernetesVersion: string): string {
  const header = [
    `# spec.jobTemplate is JobTemplateSpec of Kubernetes ${kubernetesVersion}, see hack/crd/job-template.schema.json.`,
    '---',
  ].join('\n');
  // YAML 1.1 is what kubectl reads: there a bare `on` or `y` is a boolean, so such strings get quotes.
  const body = stringify(crd, { version: '1.1', sortMapEntries: true, lineWidth: 0, aliasDuplicateObjects: false });
  return `${header}\n${body}`;
}
