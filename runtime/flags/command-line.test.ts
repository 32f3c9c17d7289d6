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
  ],
};

describe('a flag without a value', () => {
  test.each([[['--all', 'x']], [['-a', 'x']], [['x', '-a']]])('takes nothing of what follows: %j', (args) => {
    expect(parseCommandLine(line, args)).toEqual({
      kind: 'ok',
      argument: 'x',
      arguments: ['x'],
      flags: new Map([['all', 'true']]),
    });
  });

  test('may begin with no-, and is given where it is', () => {
    expect(parseCommandLine(line, ['x', '--no-color'])).toMatchObject({ flags: new Map([['no-color', 'true']]) });
    expect(parseCommandLine(line, ['x'])).toMatchObject({ flags: new Map() });
    expect(parseCommandLine(line, ['x', '--color'])).toMatchObject({ kind: 'invalid' });
  });

  test('is refused with a value', () => {
    expect(parseCommandLine(line, ['x', '--all=no'])).toMatchObject({ kind: 'invalid' });
  });

  test('is shown without one in the help', () => {
    const read = parseCommandLine(line, ['--help']);
    expect(read.kind === 'show' && read.text).toMatch(/^ {2}-a, --all +Everything\.$/m);
  });
});

describe('an argument', () => {
  test('is missed', () => {
    expect(parseCommandLine(line, [])).toMatchObject({ kind: 'invalid', message: "missing required argument 'name'" });
  });

  test('is empty when it is optional and not given', () => {
    const optional = { ...line, argument: { name: 'name', description: 'Name of the thing.', isOptional: true } };
    expect(parseCommandLine(optional, [])).toEqual({ kind: 'ok', argument: '', arguments: [], flags: new Map() });
    const read = parseCommandLine(optional, ['--help']);
    expect(read.kind === 'show' && read.text).toContain('Usage: tool [options] [name]');
  });

  test('may not be two', () => {
    expect(parseCommandLine(line, ['a', 'b'])).toMatchObject({ kind: 'invalid', reason: 'ExcessArguments' });
  });
});

test.each([[['-o', 'json', 'x']], [['-o=json', 'x']], [['-ojson', 'x']], [['--output=json', 'x']]])(
  'a value comes in every way that Go takes: %j',
  (args) => {
    const read = parseCommandLine(line, args);
    expect(read).toMatchObject({ kind: 'ok', argument: 'x', arguments: ['x'], flags: new Map([['output', 'json']]) });
  },
);
