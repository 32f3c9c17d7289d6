/** Metadata of CronJobs: lines after `name`, valid and invalid. */
import { formatManifest } from './lint-manifest.ts';

const OWNER = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'x' };
const owners = (...list: readonly object[]) => `ownerReferences: ${JSON.stringify(list)}`;
const annotation = (text: string) => `annotations: {a: "${text}"}`;
/** The API server limits the annotations of an object to this number of bytes, with their keys. */
const MAX_ANNOTATIONS_BYTES = 256 * 1024;
/** A domain of 251 characters. */
const LONG_DOMAIN = `${'a.'.repeat(125)}a`;

const LINES: readonly string[] = [
  'namespace: ""',
  'namespace: null',
  annotation('x'.repeat(MAX_ANNOTATIONS_BYTES - 1)),
  annotation('x'.repeat(MAX_ANNOTATIONS_BYTES)),
  annotation('é'.repeat(MAX_ANNOTATIONS_BYTES / 2)),
  ...[`a${LONG_DOMAIN}a`, `aa${LONG_DOMAIN}a`, 'a..b', 'a-.b', 'a.-b', 'a.', 'A', 'a_b', ''].flatMap((domain) => [
    `labels: {"${domain}/b": x}`,
    `annotations: {"${domain}/b": x}`,
    `finalizers: ["${domain}/b"]`,
  ]),
  'labels: {a/b/c: x}',
  `annotations: {a/${'b'.repeat(64)}: x}`,
  'finalizers: [orphan]',
  'finalizers: [foregroundDeletion, orphan]',
  owners(OWNER),
  owners({ ...OWNER, controller: true }, { ...OWNER, uid: 'y', controller: false }),
  owners({ ...OWNER, controller: true }, { ...OWNER, uid: 'y', controller: true }),
  ...Object.keys(OWNER).map((name) => owners({ ...OWNER, [name]: '' })),
  ...['a/b', '/b', 'a/', '/', 'a/b/c', 'A b'].map((apiVersion) => owners({ ...OWNER, apiVersion })),
  owners({ ...OWNER, kind: 'Event' }),
  owners({ ...OWNER, kind: 'Event', apiVersion: 'events.k8s.io/v1' }),
  'managedFields: [{manager: a, operation: Update, subresource: status, time: 2026-01-01T00:00:00Z, fieldsV1: {"f:a": {}}}]',
  'managedFields: [{fields: {}}]',
  'managedFields: [null]',
  'ownerReferences: [null]',
  'namespace: 5',
  'managedFields: [{time: x}]',
  'generateName: A_',
  'generateName: ""',
];

/** Cases by their special feature. */
export const METADATA: Readonly<Record<string, string>> = Object.fromEntries(
  LINES.map((line) => [`${line.slice(0, 100)} (${line.length} characters)`, formatManifest({ metadata: line })]),
);
