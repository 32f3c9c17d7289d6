import { describe, expect, test } from 'vitest';
import { MAX_DEPTH, MAX_NODES } from './compose.ts';
import { decodeYaml, readYaml } from './read-yaml.ts';
import { readGoldenTexts } from './testing/golden.ts';
import { YamlError } from './yaml-error.ts';

/** The outcome for a text, as its own object, so that an error and a value never look alike. */
function outcome(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof YamlError) return 'refused';
    throw error;
  }
}

test('reads or rejects 15,000 texts as sigs.k8s.io/yaml does', () => {
  const golden = readGoldenTexts();
  const wrong = golden.filter((row) => {
    const want = 'value' in row ? { value: row.value } : 'refused';
    return JSON.stringify(sorted(outcome(() => readYaml(row.text)))) !== JSON.stringify(sorted(want));
  });
  expect(wrong).toEqual([]);
  expect(golden.filter((row) => 'value' in row).length).toBeGreaterThan(6000);
});

/** Go writes the fields in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  // JSON.parse returns the same number for 2^63 and for integers up to 512 below it.
  if (value === 2 ** 63 - 1024) return 2 ** 63;
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([name, each]) => [name, sorted(each)] as const)
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
}

test.each<[string, unknown]>([
  ['a: 0555', { a: 365 }],
  ['a: 1\na: 2', { a: 2 }],
  ['a: {b: ~, .nan: .inf, ~: 1}\na: 2', { a: 2 }],
  ['a: \'b\\  \n  c\'\nd: "e  \\\n  f \\" g"', { a: 'b\\ c', d: 'e  f " g' }],
  ['9007199254740993: a\n1.50: b\nyes: c', { '9007199254740993': 'a', '1.5': 'b', true: 'c' }],
  ['__proto__: 3', Object.fromEntries([['__proto__', 3]])],
  ['a: &x 1\nb: &y [*x]\nc: &x 2\nd: [*y, *x]', { a: 1, b: [1], c: 2, d: [[1], 2] }],
  ['a: &x {b: 1, c: 2}\nd: {c: 3, <<: *x}', { a: { b: 1, c: 2 }, d: { b: 1, c: 2 } }],
  ['d: {<<: [{a: 1}, {a: 2, b: 3}]}', { d: { a: 1, b: 3 } }],
  ['spec:\n  args: [\n  a,\n]\n', { spec: { args: ['a'] } }],
])('%j', (text, want) => expect(readYaml(text)).toEqual(want));

describe('never hangs or exhausts memory', () => {
  const bomb = [
    'a0: &a0 [x,x,x,x,x,x,x,x,x]',
    ...Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`),
  ];
  test.each([
    ['an anchor that contains itself', 'a: &x [*x]'],
    ['an anchor that merges itself', 'a: &x {<<: *x}'],
    ['anchors that contain each other', 'a: &x {b: &y [*x], c: *y}'],
    ['an anchor that contains itself as a key', '&x {*x : 1}'],
    ['aliases of aliases', bomb.join('\n')],
    [
      'aliases that nest deeply',
      Array.from(
        { length: 40 },
        (_, i) => `a${i}: &a${i} ${'['.repeat(400)}${i === 0 ? '' : `*a${i - 1}`}${']'.repeat(400)}\n`,
      ).join(''),
    ],
    [
      'merges that nest deeply',
      Array.from(
        { length: 900 },
        (_, i) => `a${i}: &a${i} {b: ${i === 0 ? '1' : `*a${i - 1}`}, <<: ${i === 0 ? '{}' : `*a${i - 1}`}}\n`,
      ).join(''),
    ],
    ['more values than the limit', `[${'a,'.repeat(MAX_NODES)}]`],
    ['100,000 brackets', '['.repeat(100_000)],
    ['100,000 braces', '{a: '.repeat(100_000)],
    ['100,000 braces without text', '{'.repeat(100_000)],
    ['100,000 dashes', '- '.repeat(100_000)],
    ['100,000 question marks', '? '.repeat(100_000)],
    ['2,000 mappings', Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')],
    ['a quote that never ends', `"${'a '.repeat(1_000_000)}`],
    ['a control character at the end', `${'a: b\n'.repeat(100_000)}\u0001`],
  ])('%s', (_, text) => expect(() => readYaml(text)).toThrow(YamlError));

  test('reads a document that is as deep as the limit', () => {
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(() => readYaml(deep(MAX_DEPTH))).not.toThrow();
    expect(() => readYaml(deep(MAX_DEPTH + 1))).toThrow('too deep');
  });

  test('reads large texts', () => {
    const lines = 'key: "some text" # and why\n'.repeat(100_000);
    expect(readYaml(lines)).toEqual({ key: 'some text' });
    expect(readYaml(`a: ${'word '.repeat(500_000)}`)).toMatchObject({ a: expect.stringMatching(/^word/) });
    expect(readYaml(`a: |\n${'  line\n'.repeat(200_000)}`)).toMatchObject({ a: expect.stringMatching(/^line/) });
    expect(readYaml(`a: ${':x'.repeat(5_000_000)}`)).toMatchObject({ a: expect.stringMatching(/^:x/) });
    expect(readYaml(`[${'{a: [b, "c"]},'.repeat(30_000)}]`)).toHaveLength(30_000);
  });
});

test.each([
  ['%YAML 1.1\n', 'remove the lines that begin with %: no "---" follows them in this document'],
  ['%YAML 1.2\n---\na: 1\n', 'only YAML 1.1 is supported; remove this line'],
  ['...\na: 1\n', 'no document precedes "..."; remove it'],
])('says how to correct %j', (text, message) => {
  expect(() => readYaml(text)).toThrow(message);
});

test.each([
  ['a: [1', 5],
  ['a: 1\nb: *x', 8],
  ['a: 1\n\tb: 2', 5],
  ['a: b: c', 4],
  ['a: "\\/"', 4],
  ['a: .nan', 3],
  ['a: !!int x', 9],
  ['a: {b: 1}\n? [c]\n: 1', 12],
  ['~: 1\n"": 2', 0],
])('rejects %j with its position', (text, offset) => {
  expect(() => readYaml(text)).toThrow(expect.objectContaining({ offset }));
});

describe('the text of a file', () => {
  const text = 'a: "ü"\n';
  const littleEndian = Buffer.from(`\ufeff${text}`, 'utf16le');
  test.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16, little end first', littleEndian],
    ['UTF-16, big end first', Buffer.from(littleEndian).swap16()],
  ])('is read in %s', (_, bytes) => expect(decodeYaml(bytes)).toBe(text));

  test('is rejected with half a character', () => {
    expect(() => decodeYaml(Buffer.from([0x61, 0xc3]))).toThrow(YamlError);
  });
});
