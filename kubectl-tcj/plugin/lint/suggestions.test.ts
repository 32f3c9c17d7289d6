/** The suggestions of lint: where a field belongs, and what to put in quotes. */
import { describe, expect, test } from 'vitest';
import { lintText } from './lint-text.ts';

const listErrors = (text: string) =>
  lintText({ name: 'a.yaml', text }, new Date('2026-01-01T00:00:00Z'))
    .problems.filter(({ level }) => level === 'error')
    .map(({ field, message }) => `${field ?? '-'}: ${message}`);

const HEAD = 'apiVersion: batch.tutorial.kubebuilder.io/v1\nkind: CronJob\n';
const JOB = 'spec.jobTemplate.spec';
const POD = `${JOB}.template.spec`;

/** The levels of a CronJob, and the paths of their fields. */
const LEVELS = {
  root: '',
  metadata: 'metadata.',
  spec: 'spec.',
  template: 'spec.jobTemplate.',
  job: `${JOB}.`,
  pods: `${JOB}.template.`,
  pod: `${POD}.`,
  container: `${POD}.containers[0].`,
};
type Level = keyof typeof LEVELS;

/** A CronJob with a field at a level. */
function withField(level: Level, field: string): string {
  const at = (each: Level) => (each === level ? `, ${field}` : '');
  const container = `{name: a, image: b${at('container')}}`;
  const pod = `{restartPolicy: Never, containers: [${container}]${at('pod')}}`;
  const job = `{template: {spec: ${pod}${at('pods')}}${at('job')}}`;
  const spec = `{schedule: "0 * * * *", jobTemplate: {spec: ${job}${at('template')}}${at('spec')}}`;
  return `${HEAD}metadata: {name: a${at('metadata')}}\nspec: ${spec}\n${level === 'root' ? `${field}\n` : ''}`;
}

describe('suggests the right level for a misplaced field', () => {
  test.each<readonly [Level, field: string, suggestion: string]>([
    ['pod', 'successfulJobsHistoryLimit: 1', '; it belongs in spec'],
    ['job', 'failedJobsHistoryLimit: 1', '; it belongs in spec'],
    ['template', 'concurrencyPolicy: Forbid', '; it belongs in spec'],
    ['pods', 'startingDeadlineSeconds: 1', '; it belongs in spec'],
    ['container', 'timeZone: UTC', '; it belongs in spec'],
    ['root', 'schedule: x', '; it belongs in spec'],
    ['metadata', 'schedule: x', '; it belongs in spec'],
    ['pod', 'backoffLimit: 1', `; it belongs in ${JOB}`],
    ['spec', 'ttlSecondsAfterFinished: 1', `; it belongs in ${JOB}`],
    ['spec', 'activeDeadlineSeconds: 1', `; it belongs in ${JOB} or ${POD}`],
    ['job', 'serviceAccountName: a', `; it belongs in ${POD}`],
    ['container', 'nodeSelector: {}', `; it belongs in ${POD}`],
    ['container', 'volumes: []', `; it belongs in ${POD}`],
    ['pod', 'env: []', `; it belongs in ${POD}.containers[]`],
    ['spec', 'template: {}', `; it belongs in ${JOB}`],
    ['template', 'labels: {}', '; it belongs in spec.jobTemplate.metadata or metadata'],
    ['spec', 'timezone: UTC', '; did you mean "timeZone"?'],
    ['container', 'constructor: a', ''],
    ['spec', 'nothing: a', ''],
  ])('%s: {%s}%s', (level, field, suggestion) => {
    const [name = ''] = field.split(':');
    expect(listErrors(withField(level, field))).toEqual([`${LEVELS[level]}${name}: unknown field${suggestion}`]);
  });

  test.each<readonly [Level, field: string, path: string, suggestion: string]>([
    ['container', 'securityContext: {fsGroup: 1}', 'securityContext.fsGroup', `; it belongs in ${POD}.securityContext`],
    [
      'pod',
      'securityContext: {privileged: true}',
      'securityContext.privileged',
      `; it belongs in ${POD}.containers[].securityContext`,
    ],
    [
      'pod',
      'initContainers: [{name: i, image: i, volumes: []}]',
      'initContainers[0].volumes',
      `; it belongs in ${POD}`,
    ],
    ['pod', 'volumes: [{name: v, secret: {name: s}}]', 'volumes[0].secret.name', '; did you mean "secretName"?'],
    [
      'pod',
      'volumes: [{name: v, configMap: {configMapName: c}}]',
      'volumes[0].configMap.configMapName',
      '; did you mean "name"?',
    ],
    ['pod', 'volumes: [{name: v, emptyDir: {image: i}}]', 'volumes[0].emptyDir.image', ''],
  ])('inside another field: %s: {%s}', (level, field, path, suggestion) => {
    expect(listErrors(withField(level, field))).toEqual([`${LEVELS[level]}${path}: unknown field${suggestion}`]);
  });
});

describe('suggests quotes for text, as written', () => {
  test.each(['yes', 'off', '0x1F', '017', '1_000', '8080', '1.50'])('env value %s', (value) => {
    const [error] = listErrors(withField('container', `env: [{name: A, value: ${value}}]`));
    expect(error).toMatch(/env\[0\]\.value: Invalid value: \S+: must be of type string; put it in quotes: /);
    expect(error?.endsWith(`quotes: "${value}"`)).toBe(true);
  });

  test('in labels and in every other text of the schema', () => {
    expect(listErrors(withField('metadata', 'labels: {a: on}'))).toEqual([
      'metadata.labels.a: Invalid value: true: must be of type string; put it in quotes: "on"',
    ]);
    expect(listErrors(withField('pod', 'schedulerName: no'))).toEqual([
      `${POD}.schedulerName: Invalid value: false: must be of type string; put it in quotes: "no"`,
    ]);
  });

  test.each<readonly [Level, field: string, error: string]>([
    ['spec', 'successfulJobsHistoryLimit: "3"', 'Invalid value: "3": must be of type integer; write 3'],
    ['spec', 'startingDeadlineSeconds: "060"', 'Invalid value: "060": must be of type integer; write 60'],
    ['spec', "suspend: 'yes'", 'Invalid value: "yes": must be of type boolean; write true'],
    ['metadata', 'generation: "5"', 'Invalid value: "5": must be of type integer; write 5'],
    ['pod', 'terminationGracePeriodSeconds: "30"', 'Invalid value: "30": must be of type integer; write 30'],
    ['container', 'tty: "false"', 'Invalid value: "false": must be of type boolean; write false'],
  ])('suggests no quotes for a number or a boolean: %s: {%s}', (level, field, error) => {
    const [name = ''] = field.split(':');
    expect(listErrors(withField(level, field))).toEqual([`${LEVELS[level]}${name}: ${error} without quotes`]);
  });

  test.each([
    ['  schedule: */7 3 * * 1-5', 'put the schedule in quotes: "*/7 3 * * 1-5"'],
    ['  schedule: * * * * * # each minute', 'put the schedule in quotes: "* * * * *"'],
    ['  "schedule": @hourly', 'put the schedule in quotes: "@hourly"'],
    ['  {schedule: */7,9 * * * *, suspend: true}', 'put the schedule in quotes: "*/7,9 * * * *"'],
    ['  command: @file', 'put it in quotes: "@file"'],
    ['  - *.txt a', 'put it in quotes: "*.txt a"'],
    ['  image: %image', 'put it in quotes: "%image"'],
  ])('in invalid YAML: %s', (line, hint) => {
    expect(listErrors(`spec:\n${line}\n`)).toEqual([expect.stringContaining(hint)]);
  });
});
