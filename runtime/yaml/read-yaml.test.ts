import { describe, expect, test } from 'vitest';
import { readYaml, YamlError, yamlText } from './read-yaml.ts';

/** What sigs.k8s.io/yaml v1.6.0 makes of them (`YAMLToJSON`). */
describe('a scalar means what it means to kubectl', () => {
  test.each<[string, unknown]>([
    ...['', '~', 'null', 'Null'].map((text): [string, unknown] => [text, null]),
    ...['y', 'Yes', 'ON', 'true', 'TRUE'].map((text): [string, unknown] => [text, true]),
    ...['n', 'no', 'Off', 'False'].map((text): [string, unknown] => [text, false]),
    ...['nULL', 'yEs', '12:30:45', '2001-01-01', '0b12', '0x', '1e400', '10.0.0.1', '!!str 5'].map(
      (text): [string, unknown] => [text, text.replace('!!str ', '')],
    ),
    ['0o17', 15],
    ['017', 15],
    ['-017', -15],
    ['08', 8],
    ['0x1F', 31],
    ['0b11', 3],
    ['1_000', 1000],
    ['1__0_', 10],
    ['.5', 0.5],
    ['.1_0', 0.1],
    ['-.5e-3', -0.0005],
    ['1.', 1],
    ['1e3', 1000],
    ['.inf', Number.POSITIVE_INFINITY],
    ['-.Inf', Number.NEGATIVE_INFINITY],
    ['99999999999999999999999', 1e23],
    ['"yes"', 'yes'],
    ["'5'", '5'],
    ['! 5', '5'],
    ['!foo 5', '5'],
    ['!!int "5"', 5],
    ['!!float 5', 5],
    ['!!bool yes', true],
    ['!!binary aGk=', 'hi'],
  ])('%s', (text, want) => {
    expect(readYaml(`a: ${text}`)).toEqual({ a: want });
    expect(readYaml(`{"a": ${text} }`)).toEqual({ a: want });
  });

  test.each(['!!int a', '!!int 1e3', '!!int 5.0', '!!bool 1', '!!null x', '!!timestamp x', '!!binary a'])(
    '%s is refused',
    (text) => expect(() => readYaml(`a: ${text}`)).toThrow(YamlError),
  );
});

describe('a document', () => {
  test.each<[string, string, unknown]>([
    ['that is empty', '', null],
    ['that is a comment', '# nothing', null],
    ['that other documents follow', 'a: 1\n---\nb: [', { a: 1 }],
    ['before which an empty one stands', '---\n---\na: 1', null],
    ['that begins and ends with its marks', '%YAML 1.1\n--- # c\na: 1\n...\n}', { a: 1 }],
    ['that has a key twice', 'a: {b: 1}\na: {c: 2}', { a: { c: 2 } }],
    ['with keys that are no text', '1: a\nyes: b\n0x10: c', { 1: 'a', true: 'b', 16: 'c' }],
    ['with a key that objects inherit', '__proto__: 3', Object.fromEntries([['__proto__', 3]])],
    ['in JSON, with tabs, behind which something stands', '{\n\t"a":\t[1]\n} x', { a: [1] }],
    ['with the line ends of Windows', 'a: 1\r\nb: 2\r\n', { a: 1, b: 2 }],
    ['that ends within a block', 'a: |\n  5', { a: '5' }],
    ['with a block', 'a: |\n  5\n', { a: '5\n' }],
    [
      'with an anchor that is given twice',
      'a: &x 1\nb: &y [*x]\nc: &x 2\nd: [*y, *x]',
      { a: 1, b: [1], c: 2, d: [[1], 2] },
    ],
    [
      'that merges behind its own keys',
      'a: &x {b: 1, c: 2}\nd: {c: 3, <<: *x}',
      { a: { b: 1, c: 2 }, d: { b: 1, c: 2 } },
    ],
    [
      'that merges before its own keys',
      'a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}',
      { a: { b: 1, c: 2 }, d: { b: 1, c: 3 } },
    ],
    ['that merges several', 'd: {<<: [{a: 1}, {a: 2, b: 3}]}', { d: { a: 1, b: 3 } }],
    ['with a quoted merge key', 'd: {"<<": {a: 1}}', { d: { '<<': { a: 1 } } }],
  ])('%s', (_, text, want) => expect(readYaml(text)).toEqual(want));

  test.each([
    ['an anchor that contains itself', 'a: &x [*x]'],
    ['an anchor that merges itself', 'a: &x {<<: *x}'],
    ['an alias without its anchor', 'a: *x\nb: &x 1'],
    ['a list as a key', '? [a]\n: b'],
    ['null as a key', '~: a'],
    ['a merge of what is no mapping', 'd: {<<: 5}'],
    ['a merge of a list of lists', 'd: {<<: [[]]}'],
    ['a bracket that is not closed', 'a: [1'],
    ['another version', '%YAML 1.2\n---\na: 1'],
    [
      'aliases that would fill the memory',
      [
        'a0: &a0 [x,x,x,x,x,x,x,x,x,x]',
        ...Array.from(
          { length: 9 },
          (_, i) => `a${i + 1}: &a${i + 1} [${Array.from({ length: 10 }, () => `*a${i}`).join()}]`,
        ),
      ].join('\n'),
    ],
  ])('with %s is refused', (_, text) => expect(() => readYaml(text)).toThrow(YamlError));
});

describe('the text of a file', () => {
  const text = 'a: "ü"\n';
  const littleEndian = Buffer.from(`\ufeff${text}`, 'utf16le');
  test.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16, little end first', littleEndian],
    ['UTF-16, big end first', Buffer.from(littleEndian).swap16()],
  ])('in %s is read', (_, bytes) => expect(yamlText(bytes)).toBe(text));

  test.each([
    ['half a character', Buffer.from([0x61, 0xc3])],
    ['UTF-16 without a byte order mark', Buffer.from(text, 'utf16le')],
    ['a control character', Buffer.from('a: \u0007')],
  ])('with %s is refused', (_, bytes) => expect(() => yamlText(bytes)).toThrow(YamlError));

  test('may end lines with carriage returns', () => {
    expect(readYaml(yamlText(Buffer.from('a: 1\rb: 2')))).toEqual({ a: 1, b: 2 });
  });
});
