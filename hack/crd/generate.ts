/**
 * Writes the CRD under config/crd/bases from the zod schemas in api/v1.
 *
 *   node hack/crd/generate.ts           writes
 *   node hack/crd/generate.ts --check   writes nothing, exits 1 when the file is not what it would write
 *
 * `--output-dir` takes another folder than config/crd/bases.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { GROUP, PLURAL } from '../../api/v1/groupversion.ts';
import { crdYaml } from './crd-yaml.ts';
import { cronJobCrd } from './cronjob-crd.ts';
import { readJobTemplateFile } from './job-template-file.ts';
import { structuralFaults } from './structural-faults.ts';

const OUTPUT_DIR = join(import.meta.dirname, '../../config/crd/bases');

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    'output-dir': { type: 'string', default: OUTPUT_DIR },
  },
});
const file = join(values['output-dir'], `${GROUP}_${PLURAL}.yaml`);
const shown = relative(process.cwd(), file);
const want = generated();
const isFresh = existsSync(file) && readFileSync(file, 'utf8') === want;
if (values.check && !isFresh) {
  console.error(`${shown} is stale: run \`make manifests\` and commit the result`);
  process.exitCode = 1;
} else if (!isFresh) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, want);
  console.log(`wrote ${shown}`);
}

function generated(): string {
  const jobTemplate = readJobTemplateFile();
  const crd = cronJobCrd(jobTemplate.schema);
  const faults = structuralFaults(crd.spec.versions[0].schema.openAPIV3Schema);
  if (faults.length > 0) throw new Error(`the CRD is not structural:\n${faults.join('\n')}`);
  return crdYaml(crd, jobTemplate.kubernetesVersion);
}
