/** The reference of the kind as Markdown, made from the CRD, the samples, and the tables of reasons and annotations in the sources. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as names from '../../api/v1/groupversion.ts';
import { CONDITION_REASONS, EVENT_REASONS } from '../../api/v1/reasons.ts';
import { cronJobCrd, readJobTemplateSchema } from '../crd/cronjob-crd.ts';
import { type Annotation, apiReferencePage } from './api-reference-page.ts';

const PROJECT = join(import.meta.dirname, '../..');

export function apiReference(): string {
  return apiReferencePage({
    // The page points to Kubernetes for the Job: its thousand fields are not repeated here.
    crd: cronJobCrd({ type: 'object' }),
    kubernetesVersion: readJobTemplateSchema().kubernetesVersion,
    annotations: annotations(),
    eventReasons: EVENT_REASONS,
    conditionReasons: CONDITION_REASONS,
    samples: samplesByField(),
  });
}

/** Every exported constant of groupversion.ts that ends in `_ANNOTATION`, with its comment. Throws on one without a comment. */
function annotations(): readonly Annotation[] {
  const source = readFileSync(join(PROJECT, 'api/v1/groupversion.ts'), 'utf8');
  const constants = Object.entries(names).filter(([name]) => name.endsWith('_ANNOTATION'));
  const commented = source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const (\w+)/g);
  const found = [...commented].flatMap(([, comment = '', name]) =>
    constants
      .filter(([constant]) => constant === name)
      .map(([, key]) => ({
        key,
        meaning: comment
          .replaceAll(/^\s*\*/gm, '')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      })),
  );
  if (found.length < constants.length) throw new Error('an annotation in groupversion.ts has no doc comment');
  return found;
}

/** Files in config/samples, by the name of each field that they set below `spec`. */
function samplesByField(): ReadonlyMap<string, readonly string[]> {
  const folder = join(PROJECT, 'config/samples');
  const byField = new Map<string, string[]>();
  for (const file of globSync('*.yaml', { cwd: folder, exclude: ['kustomization.yaml'] }).toSorted()) {
    const { spec } = parse(readFileSync(join(folder, file), 'utf8'));
    for (const field of Object.keys(spec)) byField.set(field, [...(byField.get(field) ?? []), file]);
  }
  return byField;
}
