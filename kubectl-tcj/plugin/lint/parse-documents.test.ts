import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { lintText } from './lint-text.ts';
import { readManifests } from './manifests.ts';

interface GoldenText {
  readonly text: string;
  readonly documents: readonly unknown[];
  readonly isRefused?: boolean;
}

/** Recorded results of an oracle: runtime/yaml/oracle. */
const GOLDEN = join(import.meta.dirname, '../../../runtime/yaml/oracle/golden/texts.jsonl.gz');
const lines = gunzipSync(readFileSync(GOLDEN)).toString('utf8').trimEnd().split('\n');
const golden = lines.map((line) => JSON.parse(line) as GoldenText);

/** As Go writes them: fields sorted by name. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  // JSON.parse returns the same number for 2^63 and for numbers up to 512 below it.
  if (value === 2 ** 63 - 1024) return 2 ** 63;
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, sorted(Reflect.get(value, name))]));
}

describe('15,000 texts, compared with kubectl', () => {
  test('contain the documents that kubectl finds', () => {
    const wrong = golden.filter(({ text, documents, isRefused = false }) => {
      const found = [...readManifests(text)];
      const hasFault = found.some(({ kind }) => kind === 'fault');
      const values = found.flatMap((each) => (each.kind === 'manifest' && each.path === '' ? [each.value] : []));
      // kubectl stops at the first document that it refuses.
      return (
        hasFault !== isRefused || (!isRefused && JSON.stringify(sorted(values)) !== JSON.stringify(sorted(documents)))
      );
    });
    expect(wrong).toEqual([]);
  });

  test('are checked without a failure, with every position in the text', () => {
    for (const { text } of golden) {
      const cronJob = `apiVersion: batch.tutorial.kubebuilder.io/v1\nkind: CronJob\nspec:\n  jobTemplate:\n${text}`;
      for (const each of [text, cronJob]) {
        const { problems } = lintText({ name: 'a', text: each }, new Date(0));
        const last = each.split('\n').length;
        expect(problems.filter(({ line, column }) => line < 1 || line > last || column < 1)).toEqual([]);
      }
    }
  });
});

test.each([
  ['{"a": 1} {"b": [2]}\n{"c": "\\/\\ud83d\\ude00"}', [{ a: 1 }, { b: [2] }, { c: '/😀' }]],
  ['{a: 1}\n---\nb: 2', [{ a: 1 }, { b: 2 }]],
  ['{"a": 1}\n---\n{"b": 2}\n---\nc: 3', [{ a: 1 }, { b: 2 }, { c: 3 }]],
  ['# c\n---\n---\n---\na: 1\n--- # c\n\ufeffb: 2\n', [{ a: 1 }, { b: 2 }]],
  ['a: |\n  text', [{ a: 'text\n' }]],
  ['a: 1\r\n---\r\nb: 2\r\n', [{ a: 1 }, { b: 2 }]],
])('%j', (text, values) => {
  expect([...readManifests(text)]).toEqual(values.map((value) => expect.objectContaining({ kind: 'manifest', value })));
});

test('reads the other documents after a fault', () => {
  const text = 'a: 1\n---\nb: [\n---\nc: 1\n---d: 1\ne: 1\n--- \nf: *x\n---\ng: 1\n';
  const found = [...readManifests(text)].map((each) =>
    each.kind === 'fault' ? text.slice(each.offset, each.end) : each.value,
  );
  expect(found).toEqual([{ a: 1 }, '', '', { c: 1 }, { e: 1 }, '*x\n', { g: 1 }]);
});

const listErrors = (text: string) =>
  lintText({ name: 'a.yaml', text }, new Date(0)).problems.map(
    ({ line, column, level, message }) => `${line}:${column} ${level} -: ${message}`,
  );

test.each([
  [
    'spec:\n  schedule: */5 * * * *\n',
    '2:13 error -: * begins an alias, whose name consists of letters, digits, - and _; put the schedule in quotes: "*/5 * * * *"',
  ],
  ['spec:\n  schedule: @daily\n', '2:13 error -: a value that begins with @ needs quotes; put the schedule'],
  ['a: {{ if }}: {{ x }} b\n', 'this looks like a template'],
  ['a: *nothing\n', '1:4 error -: the anchor of the alias is missing'],
  ['a:\n\t- b\n', '2:1 error -: a tab is not allowed as indentation'],
  ['a: "\\UFFFFFFFF"\n', '1:5 error -: \\UFFFFFFFF is not an escape sequence of YAML'],
  ['{"a":'.repeat(100_000), 'error -: the document is nested too deeply'],
  ['['.repeat(20_000), 'error -: the document is nested too deeply'],
])('reports an unreadable document: %#', (text, want) => {
  expect(listErrors(`kind: Other\n---\n${text}`).join()).toContain(
    want.replace(/^(\d+):/, (_, line) => `${Number(line) + 2}:`),
  );
});

test('reports aliases that would fill the memory', () => {
  const levels = Array.from(
    { length: 12 },
    (_, level) => `a${level}: &a${level} [x, ${`*a${level - 1},`.repeat(level === 0 ? 0 : 9)}]`,
  );
  expect(listErrors(levels.join('\n'))).toEqual([
    expect.stringContaining('error -: the document has too many aliases'),
  ]);
});
