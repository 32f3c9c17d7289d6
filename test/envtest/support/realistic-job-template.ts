import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { JobTemplateSpec } from '../../../api/kubernetes.ts';
import { PROJECT } from '../../support/manifests.ts';

/** test/fixtures/job-template.yaml, which describes its content. */
export const REALISTIC_JOB_TEMPLATE: JobTemplateSpec = parse(
  readFileSync(join(PROJECT, 'test/fixtures/job-template.yaml'), 'utf8'),
);
