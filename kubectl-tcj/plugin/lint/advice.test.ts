/** What lint tells besides what is wrong: where a field belongs, and what to put in quotes. */
import { describe, expect, test } from 'vitest';
import { lintText } from './lint-text.ts';

const errorsOf = (text: string) =>
  lintText({ name: 'a.yaml', text }, new Date('2026-01-01T00:00:00Z'))
    .problems.filter(({ level }) => level === 'error')
    .map(({ field, message }) => `${field ?? '-'}: ${message}`);

const HEAD = 'apiVersion: batch.tutorial.kubebuilder.io/v1\nkind: CronJob\n';
const JOB = 'spec.jobTemplate.spec';
const POD = `${JOB}.template.spec`;

/** A CronJob with fields at each level. */
function withFields(
  fields: Partial<Record<'root' | 'metadata' | 'spec' | 'template' | 'job' | 'pods' | 'pod' | 'container', string>>,
) {
  const at = (level: keyof typeof fields) => (fields[level] === undefined ? '' : `, ${fields[level]}`);
  const container = `{name: a, image: b${at('container')}}`;
  const pod = `{restartPolicy: Never, containers: [${container}]${at('pod')}}`;
  const job = `{template: {spec: ${pod}${at('pods')}}${at('job')}}`;
  const spec = `{schedule: "0 * * * *", jobTemplate: {spec: ${job}${at('template')}}${at('spec')}}`;
  return `${HEAD}metadata: {name: a${at('metadata')}}\nspec: ${spec}\n${fields.root ?? ''}`;
}

describe('a field at the wrong level is told where it belongs', () => {
  test.each([
    [{ pod: 'successfulJobsHistoryLimit: 1' }, `${POD}.successfulJobsHistoryLimit: unknown field; it belongs to spec`],
    [{ job: 'failedJobsHistoryLimit: 1' }, `${JOB}.failedJobsHistoryLimit: unknown field; it belongs to spec`],
    [
      { template: 'concurrencyPolicy: Forbid' },
      'spec.jobTemplate.concurrencyPolicy: unknown field; it belongs to spec',
    ],
    [
      { pods: 'startingDeadlineSeconds: 1' },
      `${JOB}.template.startingDeadlineSeconds: unknown field; it belongs to spec`,
    ],
    [{ container: 'timeZone: UTC' }, `${POD}.containers[0].timeZone: unknown field; it belongs to spec`],
    [{ root: 'schedule: x\n' }, 'schedule: unknown field; it belongs to spec'],
    [{ metadata: 'schedule: x' }, 'metadata.schedule: unknown field; it belongs to spec'],
    [{ pod: 'backoffLimit: 1' }, `${POD}.backoffLimit: unknown field; it belongs to ${JOB}`],
    [{ spec: 'ttlSecondsAfterFinished: 1' }, `spec.ttlSecondsAfterFinished: unknown field; it belongs to ${JOB}`],
    [{ spec: 'activeDeadlineSeconds: 1' }, `spec.activeDeadlineSeconds: unknown field; it belongs to ${JOB} or ${POD}`],
    [{ job: 'serviceAccountName: a' }, `${JOB}.serviceAccountName: unknown field; it belongs to ${POD}`],
    [{ container: 'nodeSelector: {}' }, `${POD}.containers[0].nodeSelector: unknown field; it belongs to ${POD}`],
    [{ container: 'volumes: []' }, `${POD}.containers[0].volumes: unknown field; it belongs to ${POD}`],
    [{ pod: 'env: []' }, `${POD}.env: unknown field; it belongs to ${POD}.containers[]`],
    [{ spec: 'template: {}' }, `spec.template: unknown field; it belongs to ${JOB}`],
    [
      { template: 'labels: {}' },
      'spec.jobTemplate.labels: unknown field; it belongs to spec.jobTemplate.metadata or metadata',
    ],
  ])('%o', (fields, want) => {
    expect(errorsOf(withFields(fields))).toEqual([want]);
  });

  test.each([
    [{ spec: 'timezone: UTC' }, 'spec.timezone: unknown field; did you mean "timeZone"?'],
    [{ container: 'constructor: a' }, `${POD}.containers[0].constructor: unknown field`],
    [{ spec: 'nothing: a' }, 'spec.nothing: unknown field'],
  ])('and no other: %o', (fields, want) => {
    expect(errorsOf(withFields(fields))).toEqual([want]);
  });
});

describe('a text that needs quotes is shown in them, as it is written', () => {
  test.each([
    ['yes', '"yes"'],
    ['off', '"off"'],
    ['0x1F', '"0x1F"'],
    ['017', '"017"'],
    ['1_000', '"1_000"'],
    ['8080', '"8080"'],
    ['1.50', '"1.50"'],
  ])('env value %s', (value, quoted) => {
    const [error] = errorsOf(withFields({ container: `env: [{name: A, value: ${value}}]` }));
    expect(error).toMatch(/env\[0\]\.value: Invalid value: \S+: must be of type string; put it in quotes: /);
    expect(error?.endsWith(`quotes: ${quoted}`)).toBe(true);
  });

  test('in labels, and in any other text of the schema', () => {
    expect(errorsOf(withFields({ metadata: 'labels: {a: on}' }))).toEqual([
      'metadata.labels.a: Invalid value: true: must be of type string; put it in quotes: "on"',
    ]);
    expect(errorsOf(withFields({ pod: 'schedulerName: no' }))).toEqual([
      `${POD}.schedulerName: Invalid value: false: must be of type string; put it in quotes: "no"`,
    ]);
  });

  test.each([
    [
      { spec: 'successfulJobsHistoryLimit: "3"' },
      'spec.successfulJobsHistoryLimit: Invalid value: "3": must be of type integer; write 3',
    ],
    [
      { spec: 'startingDeadlineSeconds: "060"' },
      'spec.startingDeadlineSeconds: Invalid value: "060": must be of type integer; write 60',
    ],
    [{ spec: "suspend: 'yes'" }, 'spec.suspend: Invalid value: "yes": must be of type boolean; write true'],
    [{ metadata: 'generation: "5"' }, 'metadata.generation: Invalid value: "5": must be of type integer; write 5'],
    [
      { pod: 'terminationGracePeriodSeconds: "30"' },
      `${POD}.terminationGracePeriodSeconds: Invalid value: "30": must be of type integer; write 30`,
    ],
    [
      { container: 'ports: [{containerPort: "80"}]' },
      `${POD}.containers[0].ports[0].containerPort: Invalid value: "80": must be of type integer; write 80`,
    ],
    [
      { container: 'tty: "false"' },
      `${POD}.containers[0].tty: Invalid value: "false": must be of type boolean; write false`,
    ],
  ])('and one that is a number or a boolean loses them: %o', (fields, want) => {
    expect(errorsOf(withFields(fields))).toEqual([`${want} without quotes`]);
  });

  test.each([
    ['  schedule: */7 3 * * 1-5', 'put the schedule in quotes: "*/7 3 * * 1-5"'],
    ['  schedule: * * * * * # each minute', 'put the schedule in quotes: "* * * * *"'],
    ['  "schedule": @hourly', 'put the schedule in quotes: "@hourly"'],
    ['  {schedule: */7,9 * * * *, suspend: true}', 'put the schedule in quotes: "*/7,9 * * * *"'],
    ['  command: @file', 'put it in quotes: "@file"'],
    ['  - *.txt a', 'put it in quotes: "*.txt a"'],
    ['  image: %image', 'put it in quotes: "%image"'],
  ])('where the YAML cannot be read: %s', (line, hint) => {
    expect(errorsOf(`spec:\n${line}\n`)).toEqual([expect.stringContaining(hint)]);
  });
});
