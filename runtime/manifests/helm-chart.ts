/** Generates a Helm chart from the objects of an installation. */
import { Document, isNode } from 'yaml';
import { manifestYaml } from './manifest-yaml.ts';
import type { ChartOptions } from './operator-manifests.ts';

/** The objects that the chart installs, and the metadata of the chart. */
export interface ChartContent {
  /** Name of the chart and of the manager. */
  readonly name: string;
  /** Namespace in the objects. In the chart, the namespace of the release replaces this namespace. */
  readonly namespace: string;
  readonly chart: ChartOptions;
  readonly deployment: object;
  readonly podDisruptionBudget: object | undefined;
  /** Undefined if the manager serves no metrics. */
  readonly serviceMonitor: { readonly manifest: object; readonly values: { readonly enabled: boolean } } | undefined;
  /** The YAML of each CRD, by file name. */
  readonly crds: ReadonlyMap<string, string>;
  /** The other objects, by the name of the chart template. */
  readonly objects: ReadonlyMap<string, readonly object[]>;
}

/** Returns the files of the chart, by path. */
export function buildChartFiles(content: ChartContent): ReadonlyMap<string, string> {
  const { name, namespace, chart, crds, objects, podDisruptionBudget, serviceMonitor } = content;
  const { version, appVersion = version, description = `Installs ${name}.`, folder = `charts/${name}` } = chart;
  const metadata = { apiVersion: 'v2', name, description, type: 'application', version, appVersion };
  const { template, values } = extractChartValues(content.deployment);
  const files = new Map([
    ['Chart.yaml', manifestYaml([metadata])],
    ['templates/deployment.yaml', toTemplate([template], namespace)],
  ]);
  for (const [file, manifests] of objects) files.set(`templates/${file}`, toTemplate(manifests, namespace));
  const addOptional = (value: string, file: string, manifest: object | undefined) => {
    if (manifest === undefined) return;
    const body = toTemplate([manifest], namespace);
    files.set(`templates/${file}`, `{{- if .Values.${value}.enabled }}\n${body}{{- end }}\n`);
  };
  addOptional('podDisruptionBudget', 'pod_disruption_budget.yaml', podDisruptionBudget);
  addOptional('serviceMonitor', 'service_monitor.yaml', serviceMonitor?.manifest);
  if (crds.size > 0) files.set('templates/crds.yaml', CRD_TEMPLATE);
  for (const [file, yaml] of crds) files.set(`files/crds/${file}`, yaml);
  const allValues = {
    ...values,
    ...(podDisruptionBudget !== undefined && { podDisruptionBudget: { enabled: true } }),
    ...(serviceMonitor !== undefined && { serviceMonitor: serviceMonitor.values }),
    ...(crds.size > 0 && { crds: { enabled: true, keep: true } }),
  };
  files.set('values.yaml', manifestYaml([allValues]));
  return new Map([...files].map(([path, text]) => [`${folder}/${path}`, text]));
}

/** The chart reads the CRDs as plain files instead of templates, because descriptions can contain `{{`. */
const CRD_TEMPLATE = `{{- if .Values.crds.enabled }}
{{- range $path, $_ := .Files.Glob "files/crds/*.yaml" }}
{{- $crd := $.Files.Get $path | fromYaml }}
{{- if $.Values.crds.keep }}
{{- $_ := set $crd.metadata "annotations" (dict "helm.sh/resource-policy" "keep") }}
{{- end }}
{{- with $crd.spec.conversion }}
{{- $_ := set .webhook.clientConfig.service "namespace" $.Release.Namespace }}
{{- end }}
---
{{ toYaml $crd }}
{{- end }}
{{- end }}
`;

const POD_SPEC_PATH = ['spec', 'template', 'spec'];
const CONTAINER_PATH = [...POD_SPEC_PATH, 'containers', 0];
/**
 * Fields of the Deployment that become values of the chart. If the Deployment does not have the field, the value of the
 * chart is `emptyValue`.
 */
const VALUE_PATHS: readonly (readonly [path: readonly (string | number)[], emptyValue: unknown])[] = [
  [[...CONTAINER_PATH, 'args'], []],
  [[...CONTAINER_PATH, 'env'], []],
  [[...CONTAINER_PATH, 'resources'], {}],
  ...['imagePullSecrets', 'tolerations'].map((name) => [[...POD_SPEC_PATH, name], []] as const),
  ...['nodeSelector', 'affinity'].map((name) => [[...POD_SPEC_PATH, name], {}] as const),
];

/** Returns the Deployment with placeholders for the values of the chart, and the values. */
function extractChartValues(deployment: object): { readonly template: object; readonly values: object } {
  const document = new Document(deployment);
  const read = (path: readonly (string | number)[]): unknown => {
    const node = document.getIn(path, true);
    return isNode(node) ? node.toJS(document) : undefined;
  };
  const values: Record<string, unknown> = {};
  const [repository, tag = ''] = String(read([...CONTAINER_PATH, 'image'])).split(/:(?=[^/@]*$)/);
  values['image'] = { repository, tag, pullPolicy: 'IfNotPresent' };
  document.setIn([...CONTAINER_PATH, 'image'], '@@image@@');
  document.setIn([...CONTAINER_PATH, 'imagePullPolicy'], '@@pullPolicy@@');
  values['replicas'] = read(['spec', 'replicas']);
  document.setIn(['spec', 'replicas'], '@@replicas@@');
  for (const [path, emptyValue] of VALUE_PATHS) {
    const name = String(path.at(-1));
    values[name] = read(path) ?? emptyValue;
    document.setIn(path, createValuePlaceholder(name));
  }
  return { template: document.toJS(), values };
}

/** Returns the content of a field that the chart takes from a value, such as `serviceMonitor.labels`, or omits. */
export function createValuePlaceholder(value: string): string {
  return `@@value:${value}@@`;
}

const TEMPLATES_BY_PLACEHOLDER: Readonly<Record<string, string>> = {
  namespace: '{{ .Release.Namespace }}',
  replicas: '{{ .Values.replicas }}',
  pullPolicy: '{{ .Values.image.pullPolicy }}',
  image: '"{{ .Values.image.repository }}{{ with .Values.image.tag }}:{{ . }}{{ end }}"',
};

function toTemplate(manifests: readonly object[], namespace: string): string {
  const marked = manifests.map((manifest) => insertNamespacePlaceholder(manifest, namespace) as object); // an object stays an object
  return manifestYaml(marked)
    .replaceAll('{{', '{{ "{{" }}')
    .replace(/^( *)(\w+): "@@value:([\w.]+)@@"$/gm, (_, indent: string, name: string, value: string) => {
      const list = `${indent}  {{- toYaml . | nindent ${indent.length + 2} }}`;
      return `${indent}{{- with .Values.${value} }}\n${indent}${name}:\n${list}\n${indent}{{- end }}`;
    })
    .replace(/"@@(\w+)@@"/g, (mark, name: string) => TEMPLATES_BY_PLACEHOLDER[name] ?? mark);
}

/** Replaces the namespace in all fields with the name `namespace`. */
function insertNamespacePlaceholder(value: unknown, namespace: string): unknown {
  if (Array.isArray(value)) return value.map((each) => insertNamespacePlaceholder(each, namespace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const isNamespace = key === 'namespace' && each === namespace;
      return [key, isNamespace ? '@@namespace@@' : insertNamespacePlaceholder(each, namespace)];
    }),
  );
}
