import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FakeClock } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { CapturedTerminal } from '../../../test/support/captured-terminal.ts';
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts';
import { runCommand } from '../run-command.ts';

async function lint(args: readonly string[], input: string | Uint8Array = '') {
  const terminal = new CapturedTerminal(input);
  const code = await runCommand(['lint', ...args], {
    terminal,
    now: new Date('2026-01-01T00:00:00Z'),
    clock: new FakeClock(new Date(0)),
    signal: new AbortController().signal,
    connect: () => expect.unreachable('lint needs no cluster'),
  });
  return { code, ...terminal.texts };
}

const cronJob = (spec: string) => `apiVersion: batch.tutorial.kubebuilder.io/v1
kind: CronJob
metadata: {name: a}
spec:
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}
  ${spec}
`;
const GOOD = cronJob('schedule: "0 * * * *"');
const BAD = cronJob('schedule: "60 * * * *"');
const DOUBTFUL = cronJob('schedule: "0 0 1 * 1"');
const BAD_LINE = (name: string) =>
  `${name}:6:13: error: spec.schedule: Invalid value: "60 * * * *": minute must be 0-59, not "60"\n`;

/** Creates a folder with these files. */
function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = createTemporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

test('reads the standard input, and exits with 0 without problems', async () => {
  expect(await lint(['-'], GOOD)).toEqual({
    code: 0,
    out: '<stdin>:6:13: note: spec.schedule: At minute 0 of every hour (UTC)\n1 CronJob in 1 file: no errors, no warnings.\n',
    err: '',
  });
});

test('exits with 1 for errors, and for warnings only with --strict', async () => {
  expect(await lint(['-'], BAD)).toEqual({
    code: 1,
    out: `${BAD_LINE('<stdin>')}1 CronJob in 1 file: 1 error, no warnings.\n`,
    err: '',
  });
  expect((await lint(['-'], DOUBTFUL)).code).toBe(0);
  expect((await lint(['-', '--strict'], DOUBTFUL)).code).toBe(1);
  expect((await lint(['-', '--strict'], GOOD)).code).toBe(0);
});

test('-q omits notes and the summary', async () => {
  expect(await lint(['-q', '-'], GOOD)).toEqual({ code: 0, out: '', err: '' });
  expect((await lint(['-q', '-'], BAD)).out).toBe(BAD_LINE('<stdin>'));
});

test('reports a missing file, and nothing else', async () => {
  expect(await lint(['/nowhere.yaml'])).toEqual({ code: 2, out: '', err: '/nowhere.yaml: the path does not exist\n' });
  expect(JSON.parse((await lint(['/nowhere.yaml', '-o', 'json'])).out)).toMatchObject({
    problems: [{ level: 'error', file: '/nowhere.yaml', message: 'the path does not exist' }],
  });
});

test.each([
  ['{"kind": "Other"}\n{"kind": ', /^<stdin>:2:10: error: /],
  ['{"kind": "Other"}\n{"kind": "Ot', /^<stdin>:2:10: error: the closing quote is missing/],
  ['{"kind": "Other"}\n{"kind": "Other"}\nnonsense', /^<stdin>:3:1: error: /],
  ['{"kind": "Other"}\n{"kind": "Other", "a" "b"}', /^<stdin>:2:23: error: /],
])('reports invalid JSON: %j', async (text, error) => {
  expect(await lint(['-'], text)).toMatchObject({ code: 1, out: expect.stringMatching(error) });
});

test('reads a folder with its subfolders, in the order of the names', async () => {
  const folder = folderWith({
    'b.yml': BAD,
    'a/x.yaml': BAD,
    'a/y.json': '{"kind": "Other"}',
    'a/z.yaml': `kind: Other\n---\n${GOOD}`,
    'readme.md': BAD,
    '.hidden/x.yaml': BAD,
    'node_modules/x.yaml': BAD,
  });
  symlinkSync(folder, join(folder, 'a/circle'));
  const { code, out } = await lint([folder]);
  expect(code).toBe(1);
  expect(out.replace(/^.*: note: .*\n/m, '')).toBe(
    `${BAD_LINE(join(folder, 'a/x.yaml'))}${BAD_LINE(join(folder, 'b.yml'))}3 CronJobs in 3 files: 2 errors, no warnings. 1 other object was not checked.
Skipped 1 file: 1 without a CronJob.
`,
  );
});

const CHART = cronJob('schedule: {{ .Values.schedule | quote }}');
const QUOTED_CHART = cronJob('schedule: "{{ .Values.schedule }}"');

/** Files in a repository besides CronJobs. */
const REPOSITORY = {
  'chart/templates/cronjob.yaml': CHART,
  'chart/templates/quoted.yaml': QUOTED_CHART,
  'chart/templates/deployment.yaml':
    'kind: Deployment\n{{- if .Values.a }}\nspec: {{ toYaml . | nindent 2 }}\n{{ end }}\n',
  'chart/values.yaml': 'schedule: "0 * * * *"\n',
  'jinja.yaml': cronJob('{% if a %}\n  schedule: "0 * * * *"\n  {% endif %}'),
  'flux.yaml': cronJob(`schedule: \${SCHEDULE}`),
  'envsubst.yaml': cronJob('schedule: "@daily"\n  suspend: $SUSPEND'),
  'folded.yaml': cronJob(`schedule: >-\n    \${SCHEDULE}`),
  'package.json': '{"scripts": {"a": "b"}}',
  'tsconfig.json': '{\n  // a comment\n  "files": [],\n}',
  'broken.yaml': 'a: [\n',
  'tabs.yaml': '\ta: b\n',
  'bytes.json': new Uint8Array([0, 1, 2, 0xff]),
  'empty.yaml': '',
  'kustomize/kustomization.yaml':
    'kind: Kustomization\npatches:\n- path: patch.yaml\n- target: {}\n  patch: "[]"\npatchesStrategicMerge:\n- ../flat-patch.yaml\n',
  'kustomize/patch.yaml':
    'apiVersion: batch.tutorial.kubebuilder.io/v1\nkind: CronJob\nmetadata: {name: a}\nspec: {suspend: true}\n',
  'flat-patch.yaml': 'apiVersion: batch.tutorial.kubebuilder.io/v1\nkind: CronJob\nmetadata: {name: a}\n',
};

test('checks only CronJobs of a repository, and counts the other files in one line', async () => {
  const folder = folderWith(REPOSITORY);
  expect(await lint([folder])).toEqual({
    code: 0,
    out: 'no CronJobs in no files: no errors, no warnings.\nSkipped 17 files: 9 without a CronJob, 6 templates, 2 kustomize patches.\n',
    err: '',
  });
  expect(await lint(['-q', '--strict', folder])).toEqual({ code: 0, out: '', err: '' });
  const { skipped } = JSON.parse((await lint(['-o', 'json', folder])).out);
  expect(skipped).toHaveLength(17);
  expect(skipped).toContainEqual({ file: join(folder, 'flux.yaml'), why: 'template' });
});

test('reports errors beside a template in a folder', async () => {
  const folder = folderWith({
    ...REPOSITORY,
    'both.yaml': `${QUOTED_CHART}---\n${BAD}`,
    'broken-cron-job.yaml': cronJob('schedule: */5 * * * *'),
  });
  const { code, out } = await lint(['-q', folder]);
  expect(code).toBe(1);
  expect(out.split('\n')).toEqual([
    expect.stringContaining('both.yaml:13:13: error: spec.schedule: Invalid value: "60 * * * *"'),
    expect.stringMatching(/broken-cron-job\.yaml:6:13: error: .* put the schedule in quotes: "\*\/5 \* \* \* \*"$/),
    '',
  ]);
});

test('does not treat variables of a container as template marks', async () => {
  const format = cronJob('schedule: "60 * * * *"').replace('image: b', 'image: b, args: ["{{.Names}}", "$(DATE)"]');
  const oneLine = JSON.stringify(parse(format));
  for (const files of [{ 'a.yaml': format }, { 'a.json': oneLine }])
    expect((await lint(['-q', folderWith(files)])).code).toBe(1);
});

test('reports an invalid document beside a CronJob, because kubectl refuses the file', async () => {
  const { code, out } = await lint(['-q', folderWith({ 'a.yaml': `a: [\n---\n${GOOD}` })]);
  expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining('a.yaml:2:1: error: ') });
});

test('reports a broken CronJob whose script has variables', async () => {
  const script = cronJob('schedule: */5 * * * *').replace('image: b', 'image: b, args: ["$(date)"]');
  expect((await lint(['-q', folderWith({ 'a.yaml': script })])).code).toBe(1);
});

test.each(['kustomization.yaml', 'kustomization.yml', 'Kustomization'])(
  'finds the patches of a %s without a kind',
  async (name) => {
    const patch = REPOSITORY['kustomize/patch.yaml'];
    const folder = folderWith({ [`a/${name}`]: 'patches: [{path: ../b/patch.yaml}]\n', 'b/patch.yaml': patch });
    expect(await lint(['-q', folder])).toEqual({ code: 0, out: '', err: '' });
  },
);

test.each(['chart/templates/cronjob.yaml', 'broken.yaml', 'flux.yaml', 'envsubst.yaml', 'kustomize/patch.yaml'])(
  'a file that is named is checked, whatever it is: %s',
  async (name) => expect((await lint(['-q', join(folderWith(REPOSITORY), name)])).code).toBe(1),
);

test('exits with 2 for unreadable files, and checks the others', async () => {
  const folder = folderWith({ 'a.yaml': GOOD, 'bad.yaml': BAD });
  const empty = createTemporaryFolder();
  const circle = join(empty, 'circle.yaml');
  symlinkSync(circle, circle);
  const { code, out, err } = await lint([
    '-q',
    '/nowhere.yaml',
    '/dev/zero',
    circle,
    `${folder}/a.yaml/x`,
    empty,
    folder,
  ]);
  expect({ code, out }).toEqual({ code: 2, out: BAD_LINE(join(folder, 'bad.yaml')) });
  expect(err).toBe(
    `/nowhere.yaml: the path does not exist
/dev/zero: not a regular file
${circle}: too many levels of symbolic links
${folder}/a.yaml/x: the path does not exist
${empty}: the folder contains no *.yaml, *.yml or *.json files
`,
  );
});

test('skips pipes, broken links and folders named like files in a folder', async () => {
  const folder = folderWith({ 'a.yaml': BAD, 'folder.yaml/b.yaml': GOOD });
  execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
  symlinkSync('/nowhere', join(folder, 'nowhere.yaml'));
  symlinkSync('circle.yaml', join(folder, 'circle.yaml'));
  symlinkSync('/dev/zero', join(folder, 'device.yaml'));
  symlinkSync('folder.yaml', join(folder, 'link.yaml'));
  symlinkSync('a.yaml', join(folder, 'link-to-file.yaml'));
  const { code, out, err } = await lint(['-q', folder]);
  expect({ code, err }).toEqual({ code: 1, err: '' });
  expect(out).toBe(BAD_LINE(join(folder, 'a.yaml')) + BAD_LINE(join(folder, 'link-to-file.yaml')));
});

test('reads a pipe, such as from process substitution', async () => {
  const pipe = join(createTemporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const [{ code, out }] = await Promise.all([lint(['-q', pipe]), writeFile(pipe, BAD)]);
  expect({ code, out }).toEqual({ code: 1, out: BAD_LINE(pipe) });
});

test('reads files up to 64 MiB', async () => {
  const folder = folderWith({ 'a.yaml': GOOD, 'data.json': '', 'large.yaml': GOOD });
  const [data, large] = [join(folder, 'data.json'), join(folder, 'large.yaml')];
  for (const file of [data, large]) truncateSync(file, 64 * 1024 * 1024 + 1);
  const reason = 'the file is larger than 64 MiB; split it\n';
  expect(await lint(['-q', folder])).toMatchObject({ code: 2, err: `${large}: ${reason}` });
  expect(await lint(['-q', data])).toMatchObject({ code: 2, err: `${data}: ${reason}` });
});

test('reads invalid UTF-8 as kubectl does, with a warning', async () => {
  const latin = Buffer.from(GOOD.replace('kind', '# Gr\xfc\xdfe\nkind'), 'latin1');
  expect(await lint(['-q', '-'], latin)).toEqual({
    code: 0,
    out: '<stdin>:2:5: warning: this is not valid UTF-8; kubectl replaces it with \ufffd\n',
    err: '',
  });
  const utf16 = Buffer.from(`\ufeff${BAD}`, 'utf16le');
  for (const bytes of [utf16, Buffer.from(utf16).swap16(), Buffer.from(`\ufeff${BAD}`)]) {
    expect((await lint(['-q', '-'], bytes)).out).toBe(BAD_LINE('<stdin>'));
  }
});

test('rejects a command line without a file, or with an unknown format', async () => {
  expect(await lint([])).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining("missing required argument 'file'"),
  });
  expect(await lint(['-', '-o', 'yaml'])).toMatchObject({ code: 2, err: expect.stringContaining('use one of json') });
});

test('-o json prints all findings', async () => {
  const { code, out } = await lint(['-', '-o', 'json'], BAD);
  expect(code).toBe(1);
  expect(JSON.parse(out)).toEqual({
    problems: [
      {
        level: 'error',
        file: '<stdin>',
        line: 6,
        column: 13,
        field: 'spec.schedule',
        message: 'Invalid value: "60 * * * *": minute must be 0-59, not "60"',
      },
    ],
    cronJobs: [{ file: '<stdin>', line: 1, name: 'a', schedule: '60 * * * *', timeZone: 'UTC', clockChanges: [] }],
    files: 1,
    otherObjects: 0,
    skipped: [],
  });
});
