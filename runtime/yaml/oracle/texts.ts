/** Prints texts for the oracle, one JSON string a line: YAML as people write it, and as nobody would. The same on every run. */

/** mulberry32 */
let state = 20_260_101;
function below(bound: number): number {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
}

function oneOf(list: readonly string[]): string {
  return list[below(list.length)] ?? '';
}

function many(bound: number, make: () => string): string {
  return Array.from({ length: 1 + below(bound) }, make).join('');
}

/** Parts of scalars, divided by spaces. */
const PARTS =
  '0 1 7 8 9 10 123 _ . e E + - 0x 0o 0b 0X 0O 0B a f F z inf nan .inf .NaN Inf y n o Yes NO on off true False ~ null Null NULL 2001 -01 -1 T10:00:00Z : 30 t1:2:3+01:00 9223372036854775807 18446744073709551615 99999999999999999999 e300 e400 e-5 << = / %'.split(
    ' ',
  );
const TAGS = [
  '',
  '',
  '',
  '',
  '',
  '!!int ',
  '!!float ',
  '!!bool ',
  '!!null ',
  '!!str ',
  '!!timestamp ',
  '! ',
  '!x ',
  '!!x ',
];
const QUOTES = ['', '', '', '"', "'"];

function scalarText(): string {
  const quote = oneOf(QUOTES);
  const value = `${oneOf(TAGS)}${quote}${many(5, () => oneOf(PARTS))}${quote}`;
  return below(8) === 0 ? `${value}: a\n` : `a: ${value}\n`;
}

const VALUES = [
  ...[
    'a',
    '5',
    '017',
    'No',
    '~',
    '',
    '"q"',
    "'s'",
    '"a\\tb"',
    '"a\\/b"',
    '"\\x41"',
    "'it''s'",
    '*x',
    '&x v',
    '&x',
    '*b',
    '&a *b',
  ],
  ...[
    '!!str 5',
    '!!int 5',
    '!foo x',
    '!!seq [a]',
    '!!map {a: 1}',
    '!!set {a}',
    '!!null',
    '!!binary aGk=',
    '!<tag:yaml.org,2002:str> 5',
  ],
  ...[
    '<<',
    '<<: {a: 1}',
    '{<<: {b: 1}}',
    'a b',
    'a: b',
    'a#b',
    'a #b',
    '-',
    '- x',
    '- - 1',
    '?',
    '@x',
    '`x',
    '%x',
    '=',
    '::',
    'a:',
    '1:2',
  ],
  ...[
    '|',
    '>',
    '|2',
    '|-\n  t',
    '>+\n  t\n\n',
    '>\n   t\n    u\n   v\n',
    '"un',
    "'un",
    '"a\n b"',
    'a\n b',
    "'a\n\n b'",
    '"a\\\n  b"',
  ],
  ...[
    '{a: b}',
    '{a}',
    '[a: 1]',
    '{a: }',
    '[,]',
    '[1,]',
    '{,}',
    '{a:1}',
    '{"a":1}',
    '{"a" : 1}',
    '[a,b]',
    '[a:b]',
    '{a: b: c}',
    '{a: b, c}',
  ],
  ...[
    '[? a : b]',
    '{? a : b}',
    '[a\n]',
    '[\na,\n b\n]',
    '{\n a: 1\n}',
    '{a: [}',
    '}',
    ']',
    '[a, [b, {c: d}]]',
    '"a": b',
    '"a":b',
    'a :b',
  ],
  ...[
    '\t',
    'a\tb',
    '# c',
    '--',
    '---',
    '...',
    'http://x:1/',
    '2001-01-01',
    '1:30',
    'é',
    '\u00a0',
    '\u2028',
    '\u0085',
    '😀',
    '"\\ud800"',
    '"\\z"',
  ],
];
const KEYS = ['a', 'b', 'c', '"k"', '? x', '5', 'yes', '<<', '&k k', '~', "'z'", 'k k', '- a', '!t k'];

function block(depth: number, indent: number): string {
  const choice = below(10);
  if (depth === 0 || choice < 4) return oneOf(VALUES);
  const line = `\n${' '.repeat(indent)}`;
  const nested = () => block(depth - 1, indent + (below(4) === 0 ? below(4) : 2));
  if (choice < 8)
    return many(3, () => `${line}${oneOf(KEYS)}${oneOf([': ', ': ', ': ', ':', ' : ', ':\t'])}${nested()}`);
  return many(3, () => `${line}-${oneOf([' ', ' ', '  ', '\t', ''])}${nested()}`);
}

const BEGINNINGS = [
  '',
  '',
  '',
  '--- \n',
  '---\n',
  '--- # c\n',
  '# c\n',
  '%YAML 1.1\n---\n',
  '%YAML 1.2\n---\n',
  '\n',
  '---\n---\n',
  '--- a\n',
  '...\n',
  '%TAG ! x\n---\n',
  '\t\n',
];
const ENDS = [
  '\n',
  '\n',
  '',
  '\n...\n',
  '\n---\n',
  '\n--- \nb: 1\n',
  '\n---b: 1\n',
  ' # c',
  '\n# c\n',
  '\n...\nx: [',
  '\n\t\n',
  '\n ',
];
const MISTAKES = [
  ' ',
  '\n',
  '\t',
  ':',
  '-',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  '#',
  '&',
  '*',
  '!',
  '|',
  '>',
  ',',
  '?',
  '%',
  '@',
  ': ',
  '- ',
];

function structureText(): string {
  const text = `${oneOf(BEGINNINGS)}${block(3, 0).replace(/^\n/, '')}${oneOf(ENDS)}`;
  const lines = below(6) === 0 ? text.replaceAll('\n', below(6) === 0 ? '\r' : '\r\n') : text;
  if (below(3) > 0) return lines;
  const at = below(lines.length + 1);
  return lines.slice(0, at) + (below(2) === 0 ? oneOf(MISTAKES) + lines.slice(at) : lines.slice(at + 1));
}

const JSON_VALUES = [
  '1',
  '"a"',
  '"\\/"',
  '"\\ud83d\\ude00"',
  'null',
  'true',
  '[1, {"b": []}]',
  '{"a": 1, "a": 2}',
  '1.0',
  '-0',
  '1e3',
  '01',
  'a',
  "'a'",
  '1,',
  '"\t"',
];
const JSON_SEPARATORS = ['', '\n', '\n---\n', ' ', ',', '\n# c\n', '\nb: 1\n', '---\n', '\nx', ' # c'];

function jsonText(): string {
  return `${oneOf(['', '', '\n', ' ', '# c\n', '---\n'])}${many(4, () => `{"a":${oneOf(['', ' ', '\t', '\n'])}${oneOf(JSON_VALUES)}}${oneOf(JSON_SEPARATORS)}`)}`;
}

/** libyaml forgets at times that brackets may be a key. No object of Kubernetes has such keys. */
const BRACKETS_AS_KEY = /[\]}][^\n]*:/;

const texts = new Set<string>();
const add = (count: number, make: () => string) => {
  for (const goal = texts.size + count; texts.size < goal; ) {
    const text = make();
    if (!BRACKETS_AS_KEY.test(text)) texts.add(text);
  }
};
add(6000, scalarText);
add(8000, structureText);
add(1000, jsonText);
for (const text of texts) process.stdout.write(`${JSON.stringify(text)}\n`);
