import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeClock } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { CapturedTerminal } from '../../test/support/captured-terminal.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
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

/** A folder with these files. */
function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

test('the standard input is read, and what is fine ends with 0', async () => {
  expect(await lint(['-'], GOOD)).toEqual({
    code: 0,
    out: '<stdin>:6:13: note: spec.schedule: At minute 0 of every hour (UTC)\n1 CronJob in 1 file: no errors, no warnings.\n',
    err: '',
  });
});

test('errors end with 1, and warnings only with --strict', async () => {
  expect(await lint(['-'], BAD)).toEqual({
    code: 1,
    out: `${BAD_LINE('<stdin>')}1 CronJob in 1 file: 1 error, no warnings.\n`,
    err: '',
  });
  expect((await lint(['-'], DOUBTFUL)).code).toBe(0);
  expect((await lint(['-', '--strict'], DOUBTFUL)).code).toBe(1);
  expect((await lint(['-', '--strict'], GOOD)).code).toBe(0);
});

test('-q leaves out the notes and the summary', async () => {
  expect(await lint(['-q', '-'], GOOD)).toEqual({ code: 0, out: '', err: '' });
  expect((await lint(['-q', '-'], BAD)).out).toBe(BAD_LINE('<stdin>'));
});

test('of a file that is missing nothing is said but that', async () => {
  expect(await lint(['/nowhere.yaml'])).toEqual({ code: 2, out: '', err: '/nowhere.yaml: there is no such file\n' });
  expect(JSON.parse((await lint(['/nowhere.yaml', '-o', 'json'])).out)).toMatchObject({
    problems: [{ level: 'error', file: '/nowhere.yaml', message: 'there is no such file' }],
  });
});

test('JSON documents one after another are read, with their places', async () => {
  const object = (schedule: string) => ({
    apiVersion: 'batch.tutorial.kubebuilder.io/v1',
    kind: 'CronJob',
    metadata: { name: '}"{' },
    spec: {
      schedule,
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } } },
      },
    },
  });
  const text = [object('0 * * * *'), { kind: 'Other' }, object('60 * * * *')].map((each) =>
    JSON.stringify(each, undefined, 2),
  );
  for (const separator of ['\n', '', '\n\n  ']) {
    const whole = text.join(separator);
    const { out } = await lint(['-'], whole);
    const at = whole.lastIndexOf('"60 *');
    const lines = whole.slice(0, at).split('\n');
    expect(out).toContain(
      `<stdin>:${lines.length}:${(lines.at(-1) ?? '').length + 1}: error: spec.schedule: Invalid value: "60 * * * *"`,
    );
    expect(out).toMatch(/\n2 CronJobs in 1 file: \d errors, no warnings\. 1 other object was not checked\.\n$/);
  }
});

test.each([
  ['{"kind": "Other"}\n{"kind": ', /^<stdin>:2:1: error: /],
  ['{"kind": "Other"}\n{"kind": "Ot', /^<stdin>:2:1: error: /],
  ['{"kind": "Other"}\n{"kind": "Other"}\nnonsense', /\n<stdin>:3:1: error: /],
  ['{"kind": "Other"}\n{"kind": "Other", "a" "b"}', /^<stdin>:2:23: error: /],
])('JSON documents that are none have an error: %j', async (text, error) => {
  expect(await lint(['-'], text)).toMatchObject({ code: 1, out: expect.stringMatching(error) });
});

test('a folder is read with its folders, in the order of the names', async () => {
  const folder = folderWith({
    'b.yml': BAD,
    'a/x.yaml': BAD,
    'a/y.json': '{"kind": "Other"}',
    'readme.md': BAD,
    '.hidden/x.yaml': BAD,
    'node_modules/x.yaml': BAD,
  });
  symlinkSync(folder, join(folder, 'a/circle'));
  const { code, out } = await lint([folder]);
  expect(code).toBe(1);
  expect(out).toBe(
    `${BAD_LINE(join(folder, 'a/x.yaml'))}${BAD_LINE(join(folder, 'b.yml'))}2 CronJobs in 3 files: 2 errors, no warnings. 1 other object was not checked.\n`,
  );
});

test('what cannot be read ends with 2, and the others are checked nevertheless', async () => {
  const folder = folderWith({ 'a.yaml': GOOD, 'latin.yaml': new Uint8Array([0x61, 0xe4]) });
  const empty = temporaryFolder();
  const { code, out, err } = await lint(['-q', folder, '/nowhere.yaml', empty]);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toBe(
    `${join(folder, 'latin.yaml')}: it is not UTF-8\n/nowhere.yaml: there is no such file\n${empty}: the folder has no file *.yaml, *.yml or *.json\n`,
  );
});

test('without a file, and with a format that there is not, the usage is wrong', async () => {
  expect(await lint([])).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining("missing required argument 'file'"),
  });
  expect(await lint(['-', '-o', 'yaml'])).toMatchObject({ code: 2, err: expect.stringContaining('give one of json') });
});

test('-o json is for programs', async () => {
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
  });
});

test('nothing in a file steers the terminal', async () => {
  const { out } = await lint(['-'], cronJob('schedule: "0 * * * *"\n  "\\e[31m\\u202e\\uD800": 1'));
  expect(out).toContain('spec[\\u{1b}[31m\\u{202e}\\u{d800}]: unknown field');
});
