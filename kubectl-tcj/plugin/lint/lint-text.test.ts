import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lintText } from './lint-text.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const lint = (text: string) => lintText({ name: 'a.yaml', text }, NOW);
/** Each problem as `12:3 error spec.schedule: …`. */
const formatProblems = (text: string, levels: readonly string[] = ['error', 'warning']) =>
  lint(text)
    .problems.filter(({ level }) => levels.includes(level))
    .map(({ line, column, level, field, message }) => `${line}:${column} ${level} ${field ?? '-'}: ${message}`);

/** A CronJob with these additional lines in its spec; the first is line 5. */
const withSpec = (...lines: readonly string[]) =>
  [
    'apiVersion: batch.tutorial.kubebuilder.io/v1',
    'kind: CronJob',
    'metadata: {name: hello}',
    'spec:',
    ...lines.map((line) => `  ${line}`),
    ...(lines.some((line) => line.startsWith('schedule')) ? [] : ['  schedule: "0 * * * *"']),
    ...(lines.some((line) => line.startsWith('jobTemplate')) ? [] : [`  jobTemplate: ${TEMPLATE}`]),
    '',
  ].join('\n');
const TEMPLATE =
  '{spec: {activeDeadlineSeconds: 60, template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}';
const CONTAINER = 'spec.jobTemplate.spec.template.spec.containers[0]';
const withContainer = (rest: string) =>
  withSpec(
    `jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b, ${rest}}]}}}}`,
  );

const SAMPLES = join(import.meta.dirname, '../../../config/samples');

test.each(readdirSync(SAMPLES).filter((name) => name.endsWith('.yaml')))('the sample %s has no errors', (name) => {
  const text = readFileSync(join(SAMPLES, name), 'utf8');
  const { problems, cronJobs } = lint(text);
  expect(problems.filter(({ level }) => level === 'error')).toEqual([]);
  expect(cronJobs).toHaveLength(/^kind: CronJob$/m.test(text) ? 1 : 0);
});

test('reports the position of each fault, and the fix', () => {
  expect(
    formatProblems(
      withSpec(
        'schedule: "61 * * * *"',
        'timezone: Europe/Berlin',
        'concurrencyPolicy: forbid',
        'startingDeadlineSeconds: "5"',
        'pauseAfterFailures: 0',
      ),
    ),
  ).toEqual([
    '5:13 error spec.schedule: Invalid value: "61 * * * *": minute must be 0-59, not "61"',
    '6:3 error spec.timezone: unknown field; did you mean "timeZone"?',
    '7:22 error spec.concurrencyPolicy: Unsupported value: "forbid": supported values: "Allow", "Forbid", "Replace", "Skip", "Queue"',
    '8:28 error spec.startingDeadlineSeconds: Invalid value: "5": must be of type integer; write 5 without quotes',
    '9:23 error spec.pauseAfterFailures: Invalid value: 0: must be greater than or equal to 1',
  ]);
});

test('reports a missing field at its parent', () => {
  const [schedule, ...others] = formatProblems(withSpec('schedule:'));
  expect(schedule).toMatch(/^5:3 error spec\.schedule: Required value: give a schedule in cron format/);
  expect(others).toEqual([]);
  expect(formatProblems('apiVersion: batch.tutorial.kubebuilder.io/v1\nkind: CronJob\n')).toEqual([
    '1:1 error metadata: Required value: set a name',
    '1:1 error spec: Required value: give a schedule and a jobTemplate',
  ]);
});

describe('the Job template', () => {
  test.each([
    ['comand: [x]', 'comand: unknown field; did you mean "command"?'],
    ['command: x', 'command: Invalid value: "x": must be of type array'],
    ['command: [{}]', 'command[0]: Invalid value: "object": must be of type string'],
    ['volumeMounts: [null]', 'volumeMounts[0]: Invalid value: null: must be of type object'],
    ['env: [{name: A, value: 5}]', 'env[0].value: Invalid value: 5: must be of type string'],
    ['env: [{name: A}, {name: A}]', 'env[1]: Duplicate value: "A": is at [0], [1]; batch/v1 uses the last'],
    ['ports: [{containerPort: 1}, {containerPort: 1, protocol: TCP}]', 'ports[1]: Duplicate value: '],
    [
      'volumeMounts: [{name: a, mountPath: /a}, {name: b, mountPath: /a}]',
      'volumeMounts[1]: Duplicate value: {"mountPath":"/a"}',
    ],
    ['ports: [{containerPort: 2147483648}]', 'ports[0].containerPort: Invalid value: 2147483648: must be less'],
    [
      'ports: [{containerPort: "80"}]',
      'ports[0].containerPort: Invalid value: "80": must be of type integer; write 80',
    ],
    ['resources: {limits: {memory: 1GB}}', 'resources.limits.memory: Invalid value: "1GB": must be a quantity'],
    [
      'resources: {limits: {cpu: 1.5}}',
      'resources.limits.cpu: Invalid value: 1.5: a quantity that is not whole must be a string: write "1.5" or 1500m',
    ],
    ['volumeMounts: [{mountPath: /x}]', 'volumeMounts[0].name: Required value'],
  ])('%s', (rest, want) => {
    const problems = formatProblems(withContainer(rest), ['error']);
    expect(problems).toEqual([expect.stringContaining(`error ${CONTAINER}.${want}`)]);
  });

  test.each(['command: null', 'resources: {limits: {memory: 1Gi, cpu: 2}}', 'env: [{name: A, value: ""}, {name: B}]'])(
    'accepts %s',
    (rest) => expect(formatProblems(withContainer(rest), ['error'])).toEqual([]),
  );

  test('reports missing required fields, with the fix', () => {
    const field = 'spec.jobTemplate.spec.template.spec';
    expect(formatProblems(withSpec('jobTemplate: {spec: {template: {spec: {containers: [{name: a}]}}}}'))).toEqual([
      expect.stringContaining(`error ${field}.restartPolicy: Required value: give OnFailure or Never`),
      expect.stringContaining(`error ${field}.containers[0].image: Required value: give the image of the container`),
    ]);
  });

  test('reports nothing below a missing or mistyped field', () => {
    expect(formatProblems(withSpec('jobTemplate: {spec: {template: x}}'))).toEqual([
      '5:34 error spec.jobTemplate.spec.template: Invalid value: "x": must be of type object',
    ]);
  });
});

test.each([
  ['{name: Hello_1}', '3:18 error metadata.name: Invalid value: "Hello_1": must consist of lower case'],
  ['{}', '3:1 error metadata.name: Required value: set a name'],
  ['{name: a, namespace: a.b}', '3:32 error metadata.namespace: '],
  ['{name: 2026}', '3:18 error metadata.name: Invalid value: 2026: must be of type string; put it in quotes: "2026"'],
  ['{name: {}}', '3:12 error metadata.name: Invalid value: "object": must be of type string'],
  [
    '{name: a, namespace: yes}',
    'metadata.namespace: Invalid value: true: must be of type string; put it in quotes: "yes"',
  ],
  ['{name: a, labels: {a: 1}}', '3:33 error metadata.labels.a: Invalid value: 1: must be of type string; put it in'],
  ['{name: a, labels: {a: "b c"}}', '3:33 error metadata.labels.a: Invalid value: "b c"'],
  [
    '{name: a, annotations: {"a b": x}}',
    '3:42 error metadata.annotations[a b]: Invalid value: "a b": is not a valid key',
  ],
  ['{name: a, label: {}}', '3:21 error metadata.label: unknown field'],
  ['[]', '3:1 error metadata: Invalid value: "array": must be of type object'],
  [`{name: ${'a'.repeat(53)}}`, '3:18 error metadata.name: Invalid value: '],
  ['{name: a, finalizers: text}', 'metadata.finalizers: Invalid value: "text": must be of type array'],
  ['{name: a, finalizers: [5]}', 'metadata.finalizers[0]: Invalid value: 5: must be of type string'],
  ['{name: a, finalizers: ["a b"]}', 'metadata.finalizers[0]: Invalid value: "a b": is not a valid finalizer name'],
  ['{name: a, generation: x}', 'metadata.generation: Invalid value: "x": must be of type integer'],
  ['{name: a, resourceVersion: 5}', 'metadata.resourceVersion: Invalid value: 5: must be of type string'],
  ['{name: a, creationTimestamp: x}', 'metadata.creationTimestamp: Invalid value: "x": must be of type date-time'],
  ['{name: a, lables: {}}', 'metadata.lables: unknown field; did you mean "labels"?'],
])('metadata: %s', (metadata, want) => {
  expect(formatProblems(withSpec().replace('{name: hello}', metadata))).toEqual([expect.stringContaining(want)]);
});

test.each<readonly [prefix: string, want: string | undefined]>([
  ['a-', undefined],
  [`a${'b'.repeat(46)}`, undefined],
  [`a${'b'.repeat(47)}`, 'must be no more than 47 characters; choose a shorter prefix'],
  ...['A-', 'a.', 'a.-', '-'].map((prefix) => [prefix, 'must consist of lower case'] as const),
])('the prefix of a generated name: %s', (prefix, want) => {
  const problems = formatProblems(withSpec().replace('{name: hello}', `{generateName: "${prefix}"}`), ['error']);
  const message = `error metadata.generateName: Invalid value: "${prefix}": ${want}`;
  expect(problems).toEqual(want === undefined ? [] : [expect.stringContaining(message)]);
});

test('stops after 50 faults, also for 20,000 invalid annotations', () => {
  const annotations = Array.from({ length: 20_000 }, (_, index) => `"a b${index}": x`).join();
  expect(formatProblems(withSpec().replace('hello}', `hello, annotations: {${annotations}}}`))).toHaveLength(50);
}, 30_000);

test.each([
  ['a list with an item that is null', 'kind: List\nitems:\n- kind: Pod\n- null\n', '4:3 error -: this item is not an'],
  [
    'an array',
    '[{apiVersion: batch.tutorial.kubebuilder.io/v1, kind: CronJob}]',
    '1:1 error : kubectl does not accept',
  ],
  ['a missing kind', 'apiVersion: batch.tutorial.kubebuilder.io/v1', '1:1 error kind: Required value: use CronJob or'],
  ['a number as the version', 'apiVersion: 1\nkind: CronJob', '1:13 error apiVersion: Required value: use batch.'],
])('reports %s', (_, text, want) => expect(formatProblems(text)).toEqual([expect.stringContaining(want)]));

test('requires every field of an owner reference', () => {
  const owner = '{name: a, ownerReferences: [{name: a}]}';
  expect(formatProblems(withSpec().replace('{name: hello}', owner))).toEqual(
    ['apiVersion', 'kind', 'uid'].map((name) =>
      expect.stringContaining(`metadata.ownerReferences[0].${name}: Required value`),
    ),
  );
});

test.each([
  'labels: {a: null}',
  'annotations: {a: ~}',
  'finalizers: [example.com/a, foregroundDeletion]',
  'finalizers: null',
  'managedFields: [null]',
])('accepts metadata: %s', (line) => {
  expect(formatProblems(withSpec().replace('{name: hello}', `{name: a, ${line}}`), ['error'])).toEqual([]);
});

test('accepts a kind in lower case, as kubectl does', () => {
  expect(formatProblems(withSpec().replace('CronJob', 'cronjob'))).toEqual([]);
});

test('reports a CronJob without apiVersion, except in a folder', () => {
  const text = withSpec().replace(/^apiVersion.*\n/, '');
  expect(formatProblems(text)).toEqual([
    expect.stringMatching(/error apiVersion: Required value: use batch\.tutorial\..* or batch\/v1/),
  ]);
  expect(lintText({ name: 'a.yaml', text, isFromFolder: true }, NOW).problems).toEqual([]);
});

test('does not accept integers beyond 64 bits', () => {
  expect(formatProblems(withSpec('startingDeadlineSeconds: 9223372036854775807'), ['error'])).toEqual([]);
  expect(formatProblems(withSpec('startingDeadlineSeconds: 9223372036854775808'))).toEqual([
    expect.stringContaining('must be of type integer'),
  ]);
});

test('accepts fields that the API server sets in an exported manifest', () => {
  const metadata = '{name: a, deletionTimestamp: 2020-01-01T00:00:00Z, creationTimestamp: null, uid: x}';
  const exported = withSpec('schedule: x').replace('{name: hello}', metadata);
  expect(formatProblems(`${exported}status: {active: 5, nonsense: 1}\n`)).toEqual([
    expect.stringContaining('5:13 error spec.schedule'),
    '7:21 error status.nonsense: unknown field',
  ]);
});

test('warns as the webhook does, and explains the schedule', () => {
  const text = withSpec('schedule: 30 2 * * *', 'timeZone: Europe/Berlin');
  expect(formatProblems(text, ['error', 'warning', 'note'])).toEqual([
    expect.stringMatching(/^5:13 warning spec\.schedule: in Europe\/Berlin 2026-03-29 02:30 is skipped: /),
    expect.stringMatching(/^5:13 warning spec\.schedule: in Europe\/Berlin 2026-10-25 02:30 runs twice: /),
    '5:13 note spec.schedule: At 02:30 every day (Europe/Berlin)',
  ]);
  expect(lint(text).cronJobs.map(({ manifest: _, ...explanation }) => explanation)).toEqual([
    {
      file: 'a.yaml',
      line: 1,
      namespace: undefined,
      name: 'hello',
      schedule: '30 2 * * *',
      timeZone: 'Europe/Berlin',
      words: 'At 02:30 every day',
      clockChanges: [
        { at: '2026-03-29T01:00:00Z', words: '2026-03-29 02:30 is skipped: the clock goes from 02:00 to 03:00' },
        { at: '2026-10-25T01:00:00Z', words: '2026-10-25 02:30 runs twice: the clock goes back from 03:00 to 02:00' },
      ],
    },
  ]);
});

test('explains each schedule at its field', () => {
  const text = withSpec('schedule: "@daily"', 'schedules: ["0 12 * * *", "@hourly"]');
  expect(formatProblems(text, ['note'])).toEqual([
    '5:13 note spec.schedule: At 00:00 every day (UTC)',
    '6:15 note spec.schedules[0]: At 12:00 every day (UTC)',
    '6:29 note spec.schedules[1]: At minute 0 of every hour (UTC)',
  ]);
  expect(lint(text).cronJobs).toMatchObject([{ schedule: '@daily', schedules: ['0 12 * * *', '@hourly'] }]);
});

test('treats null as absent, with a note where server-side apply needs the webhooks', () => {
  const container =
    '{name: a, image: b, volumeMounts: null, args: [null], ports: [{containerPort: 1, protocol: null}]}';
  const template = `{spec: {template: {spec: {restartPolicy: Never, volumes: null, containers: [${container}]}}}}`;
  const text = withSpec('schedule: "@daily"', 'timeZone: null', `jobTemplate: ${template}`);
  const shownFields = formatProblems(text, ['error', 'note']).map((line) =>
    line.replace(/^\S+ | spec.jobTemplate.spec.template/g, ''),
  );
  expect(shownFields).toEqual([
    'note spec.schedule: At 00:00 every day (UTC)',
    expect.stringMatching(
      /^note.spec.volumes: null counts as absent, but server-side apply .* if the webhooks are enabled/,
    ),
    expect.stringMatching(/^note.spec.containers\[0\].volumeMounts: null counts as absent/),
    expect.stringMatching(/^note.spec.containers\[0\].ports\[0\].protocol: null is not a valid list key/),
  ]);
  expect(formatProblems(withSpec('schedule: null')).filter((line) => line.includes('null'))).toEqual([]);
});

describe('a CronJob of version v2', () => {
  const withSchedule = (schedule: string) =>
    withSpec('schedule: "@daily"').replace('/v1', '/v2').replace('"@daily"', schedule);

  test('is checked like v1, with the schedule that it has in v1', () => {
    const { problems, cronJobs } = lint(withSchedule('{minute: "61", hour: "2"}'));
    expect(problems).toContainEqual(expect.objectContaining({ level: 'error', field: 'spec.schedule' }));
    expect(cronJobs).toHaveLength(1);
    expect(formatProblems(withSchedule('{minute: "0", hour: null, dayOfWeek: "1-5"}'))).toEqual([]);
    expect(lint(withSchedule('{hour: "2"}')).cronJobs).toMatchObject([
      { manifest: { value: { spec: { schedule: '* 2 * * *' } } } },
    ]);
    expect(lint(withSchedule('{expression: "@hourly"}')).cronJobs).toMatchObject([
      { manifest: { value: { apiVersion: 'batch.tutorial.kubebuilder.io/v1', spec: { schedule: '@hourly' } } } },
    ]);
  });

  test.each([
    ['"0 2 * * *"', 'spec.schedule: .* must be of type object'],
    ['{minute: 0}', 'spec.schedule.minute: '],
    ['{minutes: "0"}', 'spec.schedule.minutes: unknown field'],
    ['{minute: "0 2"}', 'spec.schedule.minute: Invalid value: "0 2": must be one part of a cron schedule'],
    ['{expression: "@hourly", minute: "0"}', 'spec.schedule: Invalid value: .* give either expression, or minute'],
    ['{expression: ""}', 'spec.schedule.expression: '],
  ])('with the schedule %s has the error of the API server', (schedule, message) => {
    expect(formatProblems(withSchedule(schedule), ['error', 'warning', 'note'])).toEqual([
      expect.stringMatching(message),
    ]);
  });

  test('needs a schedule, as in v1', () => {
    expect(formatProblems(withSchedule('null'))).toEqual([expect.stringContaining('spec.schedule: Required value')]);
  });
});

test('counts objects of other kinds, and notes a batch/v1 CronJob', () => {
  const text = 'kind: ConfigMap\n---\n# nothing\n---\napiVersion: batch/v1\nkind: CronJob\n---\n- a\n';
  expect(lint(text)).toMatchObject({ otherObjectCount: 3, cronJobs: [] });
  expect(formatProblems(text, ['error', 'warning', 'note'])).toEqual([
    expect.stringMatching(/^5:13 note apiVersion: .* use kubectl tcj import --dry-run$/),
  ]);
});

test('reports a misspelt kind and an unknown version', () => {
  const text = withSpec();
  expect(formatProblems(text.replace('kind: CronJob', 'kind: Cronjob'))).toEqual([
    '2:7 error kind: the API group batch.tutorial.kubebuilder.io has only the kinds CronJob and CronJobRun',
  ]);
  expect(formatProblems(text.replace('kind: CronJob', 'kind: Job'))).toEqual([
    '2:7 error kind: a Job has the apiVersion batch/v1',
  ]);
  expect(formatProblems(text.replace('io/v1', 'io/v1beta1'))).toEqual([
    expect.stringMatching(/^1:13 error apiVersion: Unsupported value: "batch\.tutorial\.kubebuilder\.io\/v1beta1"/),
  ]);
});

test.each(['List', 'CronJobList'])('checks the objects of a %s', (kind) => {
  const item = `{metadata: {name: a}, spec: {schedule: x, jobTemplate: ${TEMPLATE}}}`;
  const typed = `{apiVersion: batch.tutorial.kubebuilder.io/v1, kind: CronJob, ${item.slice(1)}`;
  const group = kind === 'List' ? 'v1' : 'batch.tutorial.kubebuilder.io/v1';
  const text = `apiVersion: ${group}\nkind: ${kind}\nitems:\n- kind: Other\n  apiVersion: v1\n- ${kind === 'List' ? typed : item}\n`;
  expect(formatProblems(text)).toEqual([expect.stringMatching(/^6:\d+ error spec\.schedule: Invalid value: "x"/)]);
  expect(lint(text)).toMatchObject({ otherObjectCount: 1, cronJobs: [{ name: 'a', line: 6 }] });
});

test.each(['\n', '', '\n\n  '])('reads JSON with tabs, one document after another (%j)', (separator) => {
  const cronJob = {
    ...{ apiVersion: 'batch.tutorial.kubebuilder.io/v1', kind: 'CronJob', metadata: { name: '}"{' } },
    spec: 5,
  };
  const json = JSON.stringify(cronJob, undefined, '\t');
  const second = `${json}${separator}`.split('\n').length + 6;
  const places = formatProblems(json + separator + json).flatMap(
    (line) => /^(\S+) error spec: .* object/.exec(line)?.[1] ?? [],
  );
  expect(places).toEqual(['7:10', `${second}:10`]);
});

test('reads values as kubectl does, with YAML 1.1 booleans', () => {
  const lines = ['suspend: yes', 'startingDeadlineSeconds: 0100', 'suspendUntil: 2126-01-01T00:00:00Z', 'timeZone: ~'];
  expect(formatProblems(withSpec(...lines), ['error'])).toEqual([]);
});

test('follows anchors, aliases and merges to the position of the value', () => {
  const text = [
    'common: &common',
    '  schedule: bad',
    `  jobTemplate: ${TEMPLATE}`,
    'apiVersion: batch.tutorial.kubebuilder.io/v1',
    'kind: CronJob',
    'metadata: &meta {name: a}',
    'spec:',
    '  <<: *common',
    '  timeZone: &zone nowhere',
  ].join('\n');
  expect(formatProblems(text)).toEqual([
    '1:1 error common: unknown field',
    expect.stringMatching(/^2:13 error spec\.schedule: Invalid value: "bad"/),
    expect.stringMatching(/^9:19 error spec\.timeZone: Invalid value: "nowhere"/),
  ]);
});

test('accepts a template that several CronJobs share', () => {
  const items = Array.from(
    { length: 3000 },
    (_, index) => `- apiVersion: batch.tutorial.kubebuilder.io/v1
  kind: CronJob
  metadata: {name: a}
  spec: {schedule: x, jobTemplate: ${index === 0 ? `&t ${TEMPLATE.replace('image: b', 'image: 5')}` : '*t'}}
`,
  );
  const { problems } = lint(`kind: List\nitems:\n${items.join('')}`);
  expect(problems).toHaveLength(6000);
  expect(problems.filter(({ line }) => line === 6)).toHaveLength(3001);
});

test('warns about a duplicate key, but not about a repeated merge', () => {
  expect(formatProblems(withSpec('<<: {schedule: "0 * * * *"}', '<<: {timeZone: UTC}'))).toEqual([]);
  expect(formatProblems(withSpec('schedule: "1 * * * *"', 'schedule: bad'))).toEqual([
    '6:3 warning -: duplicate key "schedule": only the last one counts; remove one',
    expect.stringMatching(/^6:13 error spec\.schedule: Invalid value: "bad"/),
  ]);
  expect(formatProblems(withSpec('suspend: true', 'suspend: false'))).toEqual([
    '6:3 warning -: duplicate key "suspend": only the last one counts; remove one',
  ]);
});

test('warns about two objects without a line between them', () => {
  const [first, second] = ['a', 'b'].map((name) => withSpec().replace('{name: hello}', `{name: ${name}}`));
  const line = first?.split('\n').length;
  expect(formatProblems(`${first}${second}`)).toEqual([
    `${line}:1 warning -: kubectl ignores the object above this line; put a line with --- before it`,
  ]);
});

test('warns about a CronJob that kubectl ignores, because "..." precedes it', () => {
  const cronJob = withSpec();
  const warning = (line: number) =>
    `${line}:1 warning -: kubectl ignores the CronJob after "..."; use --- between documents`;
  const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
  expect(formatProblems(`${configMap}...\n${cronJob}`)).toEqual([warning(4)]);
  expect(formatProblems(`${configMap}...\n---\n${cronJob}...\n`)).toEqual([]);
  expect(formatProblems(`${configMap}...\n# nothing else\n${configMap}`)).toEqual([]);
});

test('counts columns correctly after unusual characters', () => {
  expect(formatProblems(withSpec('schedule: {"\\U0001F600😀": "\\u00e9"}'))).toEqual([
    expect.stringMatching(/^5:3 error spec\.schedule: Invalid value: "object"/),
  ]);
  expect(formatProblems(withSpec('schedule: "0 * * * *"', 'timeZone: {"😀": 1, nowhere: 2}'))).toHaveLength(1);
  expect(formatProblems(withSpec('jobTemplate: {"😀": 1, nonsense: 2}').replaceAll('\n', '\r\n'))).toContain(
    '5:25 error spec.jobTemplate.nonsense: unknown field',
  );
  expect(formatProblems(`\ufeff${withSpec('schedule: "\u0000"')}`)).not.toEqual([]);
});

test('reads 2,000 documents and ten megabytes', () => {
  const many = lint(Array.from({ length: 2000 }, () => withSpec('schedule: x')).join('---\n'));
  expect(many.cronJobs).toHaveLength(2000);
  expect(many.problems.at(-1)).toMatchObject({ line: 1999 * 7 + 5, column: 13 });
  const large = `kind: ConfigMap\ndata:\n${Array.from({ length: 200_000 }, (_, index) => `  key-${index}: ${'x'.repeat(40)}\n`).join('')}`;
  expect(large.length).toBeGreaterThan(10_000_000);
  expect(lint(large)).toMatchObject({ otherObjectCount: 1, problems: [] });
});
