/** Generates docs/cronjob-v1.md and docs/cronjobrun-v1.md: the fields of the kinds, their descriptions, and the terms in them. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StructuralSchema } from 'controller-runtime';
import { customResourceDefinition } from 'controller-runtime/manifests';
import { parse } from 'yaml';
import { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import * as names from '../../api/v1/groupversion.ts';
import { CONDITION_REASONS, EVENT_REASONS } from '../../api/v1/reasons.ts';
import { createCronJobCrd, readJobTemplateSchema } from '../crd/cronjob-crd.ts';
import { type FieldNotes, renderBullets, renderFieldSections } from './api-reference-fields.ts';
import { escapeProse, formatCode, formatTable, wrapParagraph } from './markdown.ts';

const PROJECT = join(import.meta.dirname, '../..');
const SCHEDULE_NOTE = '[Schedules](schedules.md) describes the syntax, time zones and clock changes.';
const OBJECT_REFERENCE = 'https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-reference/';
const STATUS_NOTES: FieldNotes = {
  'status.active': [`Each element is an [ObjectReference](${OBJECT_REFERENCE}).`],
};

export function renderApiReference(): string {
  // The page links to Kubernetes for the Job instead of repeating its thousand fields.
  const { spec: crd } = createCronJobCrd({ type: 'object' });
  const [{ schema }] = crd.versions;
  const { spec = {}, status = {} } = schema.openAPIV3Schema.properties ?? {};
  const parts = [
    renderHead(crd, CRON_JOB_PAGES),
    `## Spec\n\n${escapeProse(spec.description ?? '')}`,
    renderFieldSections('spec', spec, createSpecNotes()),
    renderRules(schema.openAPIV3Schema),
    `## Status\n\n${escapeProse(status.description ?? '')} Times are in RFC 3339, for example ${formatCode('2026-01-01T12:00:00Z')}.`,
    renderFieldSections('status', omitReferenceFields(status), STATUS_NOTES),
    renderConditions(),
    renderEvents(),
    renderAnnotations(),
    renderColumns(crd),
  ];
  return `${parts.join('\n\n')}\n`;
}

const CRON_JOB_PAGES =
  'Other pages describe the [samples](../config/samples/README.md), [cron syntax and time zones](schedules.md), and the ' +
  "[differences from the kubebuilder tutorial's CRD](crd-differences.md).";
const RUN_PAGES = 'The page [CronJobRuns](cronjobruns.md) has examples and rules.';

export function renderRunReference(): string {
  const { spec: crd } = customResourceDefinition(CronJobRun);
  const { spec = {}, status = {} } = crd.versions[0].schema.openAPIV3Schema.properties ?? {};
  const parts = [
    renderHead(crd, RUN_PAGES),
    '## Spec',
    renderFieldSections('spec', spec),
    `## Status\n\n${renderBullets('status', omitConditionFields(status))}`,
    renderColumns(crd),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Every kind has the same fields of conditions. */
function omitConditionFields(status: StructuralSchema): StructuralSchema {
  const { conditions = {} } = status.properties ?? {};
  return { ...status, properties: { ...status.properties, conditions: { ...conditions, items: { type: 'object' } } } };
}

/** Returns the schema without the fields of the elements of `active`, because the page links to Kubernetes for them. */
function omitReferenceFields(status: StructuralSchema): StructuralSchema {
  const { active = {} } = status.properties ?? {};
  return { ...status, properties: { ...status.properties, active: { ...active, items: { type: 'object' } } } };
}

type Crd = ReturnType<typeof createCronJobCrd>['spec'];

function renderHead({ group, names: { kind, plural, shortNames = [] }, scope, versions }: Crd, pages: string): string {
  const [{ name: version, subresources, schema }] = versions;
  const shortName = shortNames.join(', ');
  const rows = [
    ['API version', formatCode(`${group}/${version}`)],
    ['Kind', formatCode(kind)],
    ['Resource', formatCode(`${plural}.${group}`)],
    ['Short name', formatCode(shortName)],
    ['Scope', scope],
    [
      'Subresources',
      Object.keys(subresources ?? {})
        .map(formatCode)
        .join(', '),
    ],
  ];
  const text = `${escapeProse(schema.openAPIV3Schema.description ?? '')} ${formatCode(`kubectl explain ${shortName}.spec`)} prints the fields of the spec. ${pages}`;
  return [`# ${kind}`, wrapParagraph(text), formatTable([['', ''], ...rows])].join('\n\n');
}

function createSpecNotes(): FieldNotes {
  const { kubernetesVersion } = readJobTemplateSchema();
  const jobTemplate =
    `${formatCode('jobTemplate')} is the complete ${formatCode('JobTemplateSpec')} of Kubernetes ${kubernetesVersion}, with the metadata and the ` +
    '[spec of a Job](https://kubernetes.io/docs/reference/kubernetes-api/batch/job-v1/#JobSpec). ' +
    `As in batch/v1, you cannot set ${formatCode('selector')} or ${formatCode('manualSelector')}, because each Job gets its own selector.`;
  const sampleNotes = [...groupSamplesByField()].map(([field, files]) => {
    const links = selectSamples(field, files).map((file) => `[${file}](../config/samples/${file})`);
    return [`spec.${field}`, [`See ${links.join(', ')}.`]] as const;
  });
  return { ...Object.fromEntries(sampleNotes), 'spec.schedule': [SCHEDULE_NOTE], 'spec.jobTemplate': [jobTemplate] };
}

/** Returns the samples whose name begins with the first word of the field. If there are none, returns all samples. */
function selectSamples(field: string, files: readonly string[]): readonly string[] {
  const [word = ''] = /^[a-z]+/.exec(field) ?? [];
  const matchingFiles = files.filter((file) => file.startsWith(word));
  return matchingFiles.length > 0 ? matchingFiles : files;
}

/** Returns the CronJobs in config/samples by the name of each field that they set below `spec`. */
function groupSamplesByField(): ReadonlyMap<string, readonly string[]> {
  const folder = join(PROJECT, 'config/samples');
  const byField = new Map<string, string[]>();
  for (const file of globSync('*.yaml', { cwd: folder, exclude: ['kustomization.yaml'] }).toSorted()) {
    const { kind, spec } = parse(readFileSync(join(folder, file), 'utf8'));
    if (kind === names.KIND)
      for (const field of Object.keys(spec)) byField.set(field, [...(byField.get(field) ?? []), file]);
  }
  return byField;
}

function renderRules(root: StructuralSchema): string {
  const items = listRules('', root).map(({ path, rule, message, fieldPath = '' }) => {
    const target = path === '' ? 'the object' : formatCode(path);
    const field = `${path}${fieldPath}`.replace(/^\./, '');
    return wrapParagraph(
      `- ${field === '' ? target : formatCode(field)}: ${escapeProse(message)}. Rule on ${target}: ${formatCode(rule)}`,
      '  ',
    );
  });
  const text = 'The API server checks these CEL rules on each write of a CronJob:';
  return ['## Rules', wrapParagraph(text), items.join('\n')].join('\n\n');
}

type RuleWithPath = NonNullable<StructuralSchema['x-kubernetes-validations']>[number] & { readonly path: string };

function listRules(path: string, schema: StructuralSchema): readonly RuleWithPath[] {
  const ownRules = (schema['x-kubernetes-validations'] ?? []).map((rule) => ({ ...rule, path }));
  const nestedRules = Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
    listRules(path === '' ? name : `${path}.${name}`, child),
  );
  return [...ownRules, ...nestedRules, ...(schema.items === undefined ? [] : listRules(`${path}[]`, schema.items))];
}

function renderConditions(): string {
  const text =
    'The first reconcile of a CronJob sets its conditions. The reason of a condition is the first reason in its table that applies.';
  const tables = Object.entries(CONDITION_REASONS).map(([type, reasons]) => {
    const rows = Object.entries(reasons).map(([reason, meaning]) => [formatCode(reason), escapeProse(meaning)]);
    return `### ${type}\n\n${formatTable([['Reason', 'Meaning'], ...rows])}`;
  });
  return ['## Conditions', wrapParagraph(text), ...tables].join('\n\n');
}

function renderEvents(): string {
  const rows = Object.entries(EVENT_REASONS).map(([reason, { type, meaning }]) => [
    formatCode(reason),
    type,
    escapeProse(meaning),
  ]);
  const text =
    '`kubectl describe` shows the events of a CronJob. The controller immediately sends every warning, and the first event with each reason. Later events with the same reason only increase the count of the first event. If a CronJob runs more often than every five minutes, the count and the newest message change every five minutes.';
  return ['## Events', wrapParagraph(text), formatTable([['Reason', 'Type', 'Meaning'], ...rows])].join('\n\n');
}

/** Lists the exported constants of groupversion.ts that end in `_ANNOTATION`, with their comments. Throws if a comment is missing. */
function renderAnnotations(): string {
  const source = readFileSync(join(PROJECT, 'api/v1/groupversion.ts'), 'utf8');
  const keys = new Map(Object.entries(names).filter(([name]) => name.endsWith('_ANNOTATION')));
  const commentedConstants = source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const (\w+)/g);
  const items = [...commentedConstants].flatMap(([, comment = '', name = '']) => {
    const key = keys.get(name);
    if (key === undefined) return [];
    // `wrapParagraph` joins the words of several lines.
    return [wrapParagraph(`- ${formatCode(key)}: ${escapeProse(comment.replaceAll(/^\s*\*/gm, ''))}`, '  ')];
  });
  if (items.length < keys.size) throw new Error('an annotation in groupversion.ts has no doc comment');
  return ['## Annotations', items.join('\n')].join('\n\n');
}

function renderColumns({ names: { shortNames = [] }, versions: [{ additionalPrinterColumns }] }: Crd): string {
  const rows = additionalPrinterColumns.map(({ name, jsonPath, priority = 0, description = '' }) => {
    const wideNote = priority > 0 ? 'Only with `-o wide`.' : '';
    return [name.toUpperCase(), formatCode(jsonPath), `${wideNote} ${escapeProse(description)}`.trim()];
  });
  const text = `${formatCode(`kubectl get ${shortNames[0]}`)} prints:`;
  return ['## Columns', text, formatTable([['Column', 'Shows', ''], ...rows])].join('\n\n');
}
