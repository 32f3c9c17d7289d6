/** kubectl tcj lint beside a real API server: what it calls an error is refused, and what it lets pass is taken. */
import { execFile } from 'node:child_process';
import { expect, inject, test } from 'vitest';
import { lintText } from '../../kubectl-tcj/plugin/lint/lint-text.ts';
import { temporaryFolderOfFile } from '../support/temporary-folder.ts';
import './support/provided.ts';

const cacheDir = temporaryFolderOfFile();

/** What kubectl says of the manifest; nothing is stored. */
function dryRun(manifest: string): Promise<{ readonly isTaken: boolean; readonly said: string }> {
  const args = ['--kubeconfig', inject('kubeconfig'), '--cache-dir', cacheDir];
  return new Promise((resolve) => {
    const child = execFile(
      inject('kubectl'),
      [...args, 'create', '--dry-run=server', '-f', '-'],
      (error, _out, stderr) => resolve({ isTaken: error === null, said: stderr }),
    );
    child.stdin?.end(manifest);
  });
}

const TEMPLATE = '{spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}';
const manifest = (spec: string, metadata = '{name: a, namespace: default}') =>
  `apiVersion: batch.tutorial.kubebuilder.io/v1\nkind: CronJob\nmetadata: ${metadata}\nspec: ${spec}\n`;
const withFields = (fields: string) => manifest(`{schedule: "0 * * * *", jobTemplate: ${TEMPLATE}, ${fields}}`);
const withContainer = (rest: string) => withFields('').replace('image: b', `image: b, ${rest}`);
const named = (metadata: string) => manifest(`{schedule: "0 * * * *", jobTemplate: ${TEMPLATE}}`, metadata);

const json = (name: string) =>
  JSON.stringify(
    {
      apiVersion: 'batch.tutorial.kubebuilder.io/v1',
      kind: 'CronJob',
      metadata: { name, namespace: 'default' },
      spec: {
        schedule: '@daily',
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } } },
        },
      },
    },
    undefined,
    '\t',
  );

const refused: readonly (readonly [name: string, manifest: string, fields: readonly string[]])[] = [
  ['an unknown field', withFields('timezone: UTC'), ['spec.timezone']],
  ['an unknown field of the object', `${withFields('')}extra: 1\n`, ['extra']],
  ['an unknown field of the status', `${withFields('')}status: {extra: 1}\n`, ['status.extra']],
  ['an unknown field of a container', withContainer('comand: [x]'), ['containers[0].comand']],
  [
    'wrong values',
    withFields('suspend: "no", concurrencyPolicy: forbid, pauseAfterFailures: 0'),
    ['spec.suspend', 'spec.concurrencyPolicy', 'spec.pauseAfterFailures'],
  ],
  ['a number that is not whole', withFields('startingDeadlineSeconds: 1.5'), ['spec.startingDeadlineSeconds']],
  ['a date without a time', withFields('suspendUntil: 2126-01-01'), ['spec.suspendUntil']],
  ['no schedule', manifest(`{jobTemplate: ${TEMPLATE}}`), ['spec.schedule']],
  ['a schedule that is null', manifest(`{schedule: null, jobTemplate: ${TEMPLATE}}`), ['spec.schedule']],
  ['an element that is null', withContainer('volumeMounts: [null]'), ['containers[0].volumeMounts[0]']],
  ['a variable that is twice there', withContainer('env: [{name: A}, {name: A}]'), ['containers[0].env[1]']],
  [
    'a port that is twice there, once by its default',
    withContainer('ports: [{containerPort: 1}, {containerPort: 1, protocol: TCP}]'),
    ['containers[0].ports[1]'],
  ],
  [
    'a number beyond 32 bits',
    withContainer('ports: [{containerPort: 2147483648}]'),
    ['containers[0].ports[0].containerPort'],
  ],
  [
    'quantities that are none',
    withContainer('resources: {limits: {memory: 1GB, cpu: 1.5}}'),
    ['limits.memory', 'limits.cpu'],
  ],
  ['a mount without a name', withContainer('volumeMounts: [{mountPath: /x}]'), ['containers[0].volumeMounts[0].name']],
  ['a template that is a text', manifest('{schedule: "0 * * * *", jobTemplate: x}'), ['spec.jobTemplate']],
  ['a name with capitals', named('{name: A, namespace: default}'), ['metadata.name']],
  ['a name that is too long', named(`{name: ${'a'.repeat(53)}, namespace: default}`), ['metadata.name']],
  ['no name', named('{namespace: default}'), ['name']],
  ['a label that is a number', named('{name: a, namespace: default, labels: {a: 1}}'), ['metadata.labels']],
  ['a label with a space', named('{name: a, namespace: default, labels: {a: "b c"}}'), ['metadata.labels']],
  [
    'an annotation whose key has a space',
    named('{name: a, namespace: default, annotations: {"a b": c}}'),
    ['metadata.annotations'],
  ],
  ['a field that metadata does not have', named('{name: a, namespace: default, label: {}}'), ['metadata.label']],
  ['a version that does not exist', withFields('').replace('io/v1', 'io/v2'), ['']],
  ['a kind that does not exist', withFields('').replace('kind: CronJob', 'kind: Cronjob'), ['']],
  ['YAML that is none', 'apiVersion: [\n', ['']],
];

test.each(refused)('both refuse %s', { concurrent: true }, async (_, text, fields) => {
  const { isTaken, said } = await dryRun(text);
  const errors = lintText({ name: 'a.yaml', text }, new Date()).problems.filter(({ level }) => level === 'error');
  expect({ isTaken, errors: errors.length }).toEqual({ isTaken: false, errors: fields.length });
  for (const field of fields) {
    expect(said).toContain(field);
    expect(errors.map((error) => error.field ?? '').join(' ')).toContain(field);
  }
});

test.each([
  ['what kubectl reads as true', withFields('suspend: yes')],
  ['fields that are null', withFields('timeZone: null, suspend: null, startTimeoutSeconds: null')],
  ['a whole number with a point, and one in base 8', withFields('startingDeadlineSeconds: 12.0, recentRunsLimit: 012')],
  ['null in the template', withContainer('command: null, resources: {limits: {cpu: 1, memory: 1Gi}}')],
  ['elements that are null', withContainer('command: [null], resources: {limits: {cpu: null}}')],
  ['a status of another shape', `${withFields('')}status: {active: 5, recentRuns: 4}\n`],
  [
    'metadata that the API server sets',
    named('{name: a, namespace: default, uid: x, creationTimestamp: null, generation: 4}'),
  ],
  [
    'a merge',
    `${manifest('{<<: &a {schedule: "0 * * * *"}, timeZone: &z UTC}').replace(/}\n$/, `, jobTemplate: ${TEMPLATE}}\n`)}`,
  ],
  ['a name that the API server makes up', named('{generateName: a-, namespace: default}')],
  [
    'labels',
    named('{name: a, namespace: default, labels: {example.com/a: b_c.D, e: ""}, annotations: {A.b/c: "any thing"}}'),
  ],
  ['JSON documents one after another', `${json('a')}\n${json('b')}`],
  ['JSON', json('a')],
])('both take %s', { concurrent: true }, async (_, text) => {
  const errors = lintText({ name: 'a.yaml', text }, new Date()).problems.filter(({ level }) => level === 'error');
  expect({ errors, ...(await dryRun(text)) }).toEqual({ errors: [], isTaken: true, said: '' });
});
