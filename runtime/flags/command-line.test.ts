import { describe, expect, test } from 'vitest';
import { type CommandLine, parseCommandLine } from './command-line.ts';

const line: CommandLine = {
  name: 'tool',
  description: 'Does things.',
  argument: { name: 'name', description: 'Name of the thing.' },
  flags: [
    { name: 'all', short: 'a', description: 'Everything.', default: '' },
    { name: 'quiet', value: 'bool', isBoolean: true, description: 'Says less.', default: 'false' },
    { name: 'no-color', description: 'Uses none.', default: '' },
    { name: 'output', short: 'o', value: 'format', description: 'The format.', default: 'text' },
    { name: 'filename', short: 'f', value: 'file', isRepeated: true, description: 'The file.', default: '' },
  ],
};

describe('a flag without a value', () => {
  test.each([[['--all', 'x']], [['-a', 'x']], [['x', '-a']]])('takes no value from the next argument: %j', (args) => {
    expect(parseCommandLine(line, args)).toEqual({
      kind: 'ok',
      argument: 'x',
      arguments: ['x'],
      flags: new Map([['all', 'true']]),
      flagLists: new Map(),
    });
  });

  test('may begin with no-, and is set when given', () => {
    expect(parseCommandLine(line, ['x', '--no-color'])).toMatchObject({ flags: new Map([['no-color', 'true']]) });
    expect(parseCommandLine(line, ['x'])).toMatchObject({ flags: new Map() });
    expect(parseCommandLine(line, ['x', '--color'])).toMatchObject({ kind: 'invalid' });
  });

  test('rejects a value', () => {
    expect(parseCommandLine(line, ['x', '--all=no'])).toMatchObject({ kind: 'invalid' });
  });

  test('that is hidden works, but the help omits it', () => {
    const hidden = { ...line, flags: line.flags.map((flag) => ({ ...flag, isHidden: true })) };
    expect(parseCommandLine(hidden, ['x', '--all'])).toMatchObject({ flags: new Map([['all', 'true']]) });
    expect(parseCommandLine(hidden, ['--help'])).toMatchObject({ text: expect.not.stringContaining('--all') });
  });

  test('has no value in the help', () => {
    const read = parseCommandLine(line, ['--help']);
    expect(read.kind === 'show' && read.text).toMatch(/^ {2}-a, --all +Everything\.$/m);
  });
});

describe('an argument', () => {
  test('is required', () => {
    expect(parseCommandLine(line, [])).toMatchObject({ kind: 'invalid', message: "missing required argument 'name'" });
  });

  test('is empty when it is optional and omitted', () => {
    const optional = { ...line, argument: { name: 'name', description: 'Name of the thing.', isOptional: true } };
    expect(parseCommandLine(optional, [])).toMatchObject({ kind: 'ok', argument: '', arguments: [], flags: new Map() });
    const read = parseCommandLine(optional, ['--help']);
    expect(read.kind === 'show' && read.text).toContain('Usage: tool [options] [name]');
  });

  test('rejects a second argument', () => {
    expect(parseCommandLine(line, ['a', 'b'])).toMatchObject({ kind: 'invalid', reason: 'ExcessArguments' });
  });
});

test.each([
  { flag: '-o', value: 'b' },
  { flag: '-f', value: 'a,b' },
])('the value of $flag a $flag b is $value', ({ flag, value }) => {
  const name = flag === '-f' ? 'filename' : 'output';
  const read = parseCommandLine(line, ['x', flag, 'a', `--${name}=b`]);
  expect(read).toMatchObject({ flags: new Map([[name, value]]) });
});

test('a repeated flag also has the list of its values', () => {
  expect(parseCommandLine(line, ['x', '-f', 'a,b', '--filename=--c', '--filename', '-d'])).toMatchObject({
    flags: new Map([['filename', 'a,b,--c,-d']]),
    flagLists: new Map([['filename', ['a,b', '--c', '-d']]]),
  });
});

test.each([[['-o', 'json', 'x']], [['-o=json', 'x']], [['-ojson', 'x']], [['--output=json', 'x']]])(
  'accepts a value in every form that Go accepts: %j',
  (args) => {
    const read = parseCommandLine(line, args);
    expect(read).toMatchObject({ kind: 'ok', argument: 'x', arguments: ['x'], flags: new Map([['output', 'json']]) });
  },
);
