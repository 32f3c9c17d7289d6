import { expect, test } from 'vitest';
import { lintText } from './lint-text.ts';

const SPEC = `spec:
  schedule: "@daily"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}
`;
const HEAD = 'apiVersion: batch.tutorial.kubebuilder.io/v1\nkind: CronJob\n';
const errorsOf = (text: string, isFound = false) =>
  lintText({ name: 'a.yaml', text, isFound }, new Date(0))
    .problems.filter(({ level }) => level === 'error')
    .map(({ field, message }) => `${field}: ${message}`);

test.each([
  ['finalizers: text', 'metadata.finalizers: Invalid value: "text": must be of type array'],
  ['finalizers: [5]', 'metadata.finalizers[0]: Invalid value: 5: must be of type string'],
  ['finalizers: ["a b"]', 'metadata.finalizers[0]: Invalid value: "a b": is not a valid finalizer name'],
  ['generation: x', 'metadata.generation: Invalid value: "x": must be of type integer'],
  ['resourceVersion: 5', 'metadata.resourceVersion: Invalid value: 5: must be of type string'],
  ['creationTimestamp: yesterday', 'metadata.creationTimestamp: Invalid value: "yesterday": must be of type date-time'],
  ['ownerReferences: [{name: a}]', 'metadata.ownerReferences[0].apiVersion: Required value'],
  ['lables: {}', 'metadata.lables: unknown field; did you mean "labels"?'],
])('metadata: %s', (line, error) => {
  expect(errorsOf(`${HEAD}metadata: {name: a, ${line}}\n${SPEC}`).join('\n')).toContain(error);
});

test.each([
  'labels: {a: null}',
  'annotations: {a: ~}',
  'finalizers: [example.com/a, foregroundDeletion]',
  'finalizers:',
])('metadata: %s is fine', (line) => expect(errorsOf(`${HEAD}metadata:\n  name: a\n  ${line}\n${SPEC}`)).toEqual([]));

test('kubectl takes a kind in lower case', () => {
  expect(errorsOf(`${HEAD.replace('CronJob', 'cronjob')}metadata: {name: a}\n${SPEC}`)).toEqual([]);
});

test('a CronJob without apiVersion is an error, but in a folder, where it may be a part of something else', () => {
  const text = `kind: CronJob\nmetadata: {name: a}\n${SPEC}`;
  expect(errorsOf(text)).toEqual([
    expect.stringMatching(/^apiVersion: Required value: give batch\.tutorial\..* or batch\/v1/),
  ]);
  expect(errorsOf(text, true)).toEqual([]);
});

test('an integer beyond 64 bits is none', () => {
  const withDeadline = (value: string) => `${HEAD}metadata: {name: a}\n${SPEC}  startingDeadlineSeconds: ${value}\n`;
  expect(errorsOf(withDeadline('9223372036854775807'))).toEqual([]);
  expect(errorsOf(withDeadline('9223372036854775808'))).toEqual([expect.stringContaining('must be of type integer')]);
});
