/**
 * Manifests of CronJobs, valid and invalid: every kind of field with every kind of scalar, and every way to write the same value in YAML.
 */
import { formatManifest } from './lint-manifest.ts';
import { METADATA } from './lint-metadata.ts';
import { STRUCTURES } from './lint-structures.ts';

/** `text` contains `NAME` in place of the name of the object. */
export interface LintCase {
  readonly title: string;
  readonly text: string;
}

/** Scalars as users write them. */
// biome-ignore format: a table reads better in rows
const SCALARS: readonly string[] = [
  '0', '1', '5', '-1', '0o5', '05', '0x5', '0b101', '08', '1_0', '+5', '5.0', '5e0', '1.5', '.5', '5.', '0o8', '1e3',
  '12e03',
  '2147483647', '2147483648', '9223372036854775807', '9223372036854775808', '18446744073709551615', '1e21', '-0',
  '-0.0',
  'true', 'yes', 'No', 'on', 'OFF', 'y', 'TRUE', 'tRUE', 'null', '~', '', 'Null', '.inf', '.nan', '-.INF', '1:30',
  '<<', '=',
  'a', '"5"', "'5'", '"yes"', '"true"', '""', '!!str 5', '!!str yes', '!!int "5"', '!!int 5.0', '!!float 5',
  '!!bool yes', '!!null ""', '!x 5',
  '2126-01-01', '2126-01-01T00:00:00Z', '2126-01-01 00:00:00', '"2126-01-01T00:00:00+01:00"', '!!timestamp 2126-01-01',
  '!!binary NQ==',
  '500m', '1Gi', '1GB', '0.5', '128', '"0.5"', '1e3Mi', '+1', '1 Gi', '{}', '[]', '[5]', '{a: b}', '|\n    5',
  '>-\n    5', '&x 5', '*nothing',
  'Always', 'Forbid', 'forbid', 'Never', 'OnFailure', 'UTC', 'Europe/Berlin', 'europe/berlin', 'Local', '0 * * * *',
  '"0 * * * *"', '* * * * *',
  '@daily', '"@daily"', '"@every 1h"', '60 * * * *', '0 0 31 2 *', '"TZ=UTC 0 * * * *"', 'é', '"\\u00e9"', '"\\/"',
  '"\\ud83d\\ude00"', '\t5', '5\t', '5 # c', '5# c',
];

/** Each field has a place for a value at the end of a line, in the second column. */
const FIELDS: Readonly<Record<string, (value: string) => string>> = {
  schedule: (value) => formatManifest({ schedule: value }),
  timeZone: createSpecCase('timeZone'),
  startingDeadlineSeconds: createSpecCase('startingDeadlineSeconds'),
  concurrencyPolicy: createSpecCase('concurrencyPolicy'),
  suspend: createSpecCase('suspend'),
  suspendUntil: createSpecCase('suspendUntil'),
  successfulJobsHistoryLimit: createSpecCase('successfulJobsHistoryLimit'),
  jobTemplate: (value) => formatManifest({ jobTemplate: value }),
  'a label': (value) => formatManifest({ metadata: `labels:\n    a: ${value}` }),
  'an annotation': (value) => formatManifest({ metadata: `annotations:\n    a: ${value}` }),
  'a key of an annotation': (value) => formatManifest({ metadata: `annotations:\n    ${value}: a` }),
  finalizers: (value) => formatManifest({ metadata: `finalizers: ${value}` }),
  backoffLimit: (value) => formatManifest({ job: `backoffLimit: ${value}` }),
  restartPolicy: (value) => formatManifest({ restartPolicy: value }),
  defaultMode: (value) => formatManifest({ pod: `volumes: [{name: v, configMap: {name: c, defaultMode: ${value}}}]` }),
  'a variable': (value) => formatManifest({ container: `env: [{name: A, value: ${value}}]` }),
  'an argument': (value) => formatManifest({ container: `args: [${value}]` }),
  cpu: (value) => formatManifest({ container: `resources: {limits: {cpu: ${value}}}` }),
  memory: (value) => formatManifest({ container: `resources: {limits: {memory: ${value}}}` }),
  'a port by name or number': (value) => formatManifest({ container: `livenessProbe: {httpGet: {port: ${value}}}` }),
  containerPort: (value) => formatManifest({ container: `ports: [{containerPort: ${value}}]` }),
};

function createSpecCase(name: string): (value: string) => string {
  return (value) => formatManifest({ spec: `${name}: ${value}` });
}

/** Every field with every scalar, and every structure. */
export function createLintCases(): readonly LintCase[] {
  const fieldCases = Object.entries(FIELDS).flatMap(([field, withValue]) =>
    SCALARS.map((scalar) => ({ title: `${field}: ${JSON.stringify(scalar)}`, text: withValue(scalar) })),
  );
  const otherCases = Object.entries({ ...METADATA, ...STRUCTURES });
  return [...fieldCases, ...otherCases.map(([title, text]) => ({ title, text }))];
}
