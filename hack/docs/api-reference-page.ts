/** Makes docs/cronjob-v1.md: what a CronJob consists of, what is written about it, and the words used for that. */
import type { PrinterColumn, StructuralSchema } from 'controller-runtime';
import type { CustomResourceDefinition } from 'controller-runtime/manifests';
import { type FieldNotes, fieldSections } from './api-reference-fields.ts';
import { code, paragraph, prose, table } from './markdown.ts';

export interface Annotation {
  readonly key: string;
  readonly meaning: string;
}

export interface ApiReference {
  readonly crd: CustomResourceDefinition;
  /** Of the schema that `spec.jobTemplate` has, for example `v1.36.3`. */
  readonly kubernetesVersion: string;
  readonly annotations: readonly Annotation[];
  readonly eventReasons: Readonly<Record<string, { readonly type: string; readonly meaning: string }>>;
  /** Meaning by reason by type of condition. */
  readonly conditionReasons: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Files in config/samples by the field of the spec that they show. */
  readonly samples: ReadonlyMap<string, readonly string[]>;
}

/** The page as Markdown. */
export function apiReferencePage(reference: ApiReference): string {
  const { crd, annotations, eventReasons, conditionReasons } = reference;
  const [{ additionalPrinterColumns, schema }] = crd.spec.versions;
  const { spec = {}, status = {} } = schema.openAPIV3Schema.properties ?? {};
  const parts = [
    head(crd, schema.openAPIV3Schema),
    `## Spec\n\n${prose(spec.description ?? '')}`,
    fieldSections('spec', spec, specNotes(reference)),
    rules(schema.openAPIV3Schema),
    `## Status\n\n${prose(status.description ?? '')} A time is RFC 3339, for example ${code('2026-01-01T12:00:00Z')}.`,
    fieldSections('status', status, STATUS_NOTES),
    conditions(conditionReasons),
    events(eventReasons),
    annotationList(annotations),
    columns(crd.spec.names.shortNames ?? [], additionalPrinterColumns),
  ];
  return `${parts.join('\n\n')}\n`;
}

function head({ spec: { group, names, scope, versions } }: CustomResourceDefinition, root: StructuralSchema): string {
  const [{ name: version, subresources }] = versions;
  const shortName = (names.shortNames ?? []).join(', ');
  const rows = [
    ['API version', code(`${group}/${version}`)],
    ['Kind', code(names.kind)],
    ['Resource', code(`${names.plural}.${group}`)],
    ['Short name', code(shortName)],
    ['Scope', scope],
    [
      'Subresources',
      Object.keys(subresources ?? {})
        .map(code)
        .join(', '),
    ],
  ];
  const text =
    `${prose(root.description ?? '')} ${code(`kubectl explain ${shortName}.spec`)} shows its fields in the terminal. ` +
    'See also: [samples](../config/samples/README.md), [cron syntax and time zones](schedules.md), ' +
    "[differences from the kubebuilder tutorial's CRD](crd-differences.md).";
  return [`# ${names.kind}`, paragraph(text), table([['', ''], ...rows])].join('\n\n');
}

const SCHEDULE_NOTE = 'Syntax, time zones and clock changes: [schedules](schedules.md).';

const STATUS_NOTES: FieldNotes = {
  'status.conditions': ['Reasons: [conditions](#conditions).'],
  'status.lastManualRun': ['See [annotations](#annotations).'],
};

function specNotes({ kubernetesVersion, samples }: ApiReference): FieldNotes {
  const jobTemplate =
    `The complete ${code('JobTemplateSpec')} of Kubernetes ${kubernetesVersion}: metadata for the Job, and the ` +
    '[spec of a Job](https://kubernetes.io/docs/reference/kubernetes-api/batch/job-v1/#JobSpec), ' +
    '[explained here](https://kubernetes.io/docs/concepts/workloads/controllers/job/). ' +
    `As in batch/v1, ${code('selector')} and ${code('manualSelector: true')} are refused, because each Job gets its own selector.`;
  const shown = [...samples].map(([field, files]) => {
    const links = files.map((file) => `[${file}](../config/samples/${file})`);
    return [`spec.${field}`, [`Samples: ${links.join(', ')}.`]] as const;
  });
  return { ...Object.fromEntries(shown), 'spec.schedule': [SCHEDULE_NOTE], 'spec.jobTemplate': [jobTemplate] };
}

function rules(root: StructuralSchema): string {
  const items = rulesBelow('', root).map(({ path, rule, message, fieldPath = '' }) => {
    const on = path === '' ? 'the object' : code(path);
    const field = `${path}${fieldPath}`.replace(/^\./, '');
    return paragraph(`- ${field === '' ? on : code(field)} ${prose(message)}. The rule on ${on}: ${code(rule)}`, '  ');
  });
  const text = 'CEL rules for what a schema cannot express. The API server checks them on each write:';
  return ['## Rules', paragraph(text), items.join('\n')].join('\n\n');
}

type PlacedRule = NonNullable<StructuralSchema['x-kubernetes-validations']>[number] & { readonly path: string };

function rulesBelow(path: string, schema: StructuralSchema): readonly PlacedRule[] {
  const own = (schema['x-kubernetes-validations'] ?? []).map((rule) => ({ ...rule, path }));
  const children = Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
    rulesBelow(path === '' ? name : `${path}.${name}`, child),
  );
  return [...own, ...children, ...(schema.items === undefined ? [] : rulesBelow(`${path}[]`, schema.items))];
}

function conditions(reasonsByType: ApiReference['conditionReasons']): string {
  const text =
    'The controller sets them when it first reconciles a CronJob. Each condition shows the first reason of its list that holds.';
  const tables = Object.entries(reasonsByType).map(([type, reasons]) => {
    const rows = Object.entries(reasons).map(([reason, meaning]) => [code(reason), prose(meaning)]);
    return `### ${type}\n\n${table([['Reason', 'Meaning'], ...rows])}`;
  });
  return ['## Conditions', paragraph(text), ...tables].join('\n\n');
}

function events(reasons: ApiReference['eventReasons']): string {
  const rows = Object.entries(reasons).map(([reason, { type, meaning }]) => [code(reason), type, prose(meaning)]);
  const text =
    'The controller records them on the CronJob when something changes; `kubectl describe` shows them. One event counts its repeats. The first shows at once, and so does every warning. For a CronJob that runs more often than every five minutes, the count and the newest message are updated every five minutes.';
  return ['## Events', paragraph(text), table([['Reason', 'Type', 'Meaning'], ...rows])].join('\n\n');
}

function annotationList(annotations: readonly Annotation[]): string {
  const items = annotations.map(({ key, meaning }) => paragraph(`- ${code(key)}: ${prose(meaning)}`, '  '));
  return ['## Annotations', items.join('\n')].join('\n\n');
}

function columns(shortNames: readonly string[], printed: readonly PrinterColumn[]): string {
  const rows = printed.map(({ name, jsonPath, priority = 0, description = '' }) => {
    const wide = priority > 0 ? 'Only with `-o wide`.' : '';
    return [name.toUpperCase(), code(jsonPath), `${wide} ${prose(description)}`.trim()];
  });
  const text = `What ${code(`kubectl get ${shortNames[0]}`)} prints.`;
  return ['## Columns', text, table([['Column', 'Shows', ''], ...rows])].join('\n\n');
}
