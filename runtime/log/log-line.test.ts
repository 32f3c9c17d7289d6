import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../configuration-error.ts';
import { formatConsoleLine, formatJsonLine, type LogEntry } from './log-line.ts';

const entry = (more: Partial<LogEntry> = {}): LogEntry => ({
  level: 'info',
  timestamp: '2030-01-02T03:04:05.006Z',
  message: 'created Job',
  fields: [],
  ...more,
});

describe('formatJsonLine', () => {
  test('begins with level, time and message, then has the fields', () => {
    const line = formatJsonLine(
      entry({ fields: [{ namespace: 'default', scheduledTime: new Date(0), logger: 'controller' }] }),
    );
    expect(line).toBe(
      '{"level":"info","ts":"2030-01-02T03:04:05.006Z","logger":"controller","msg":"created Job",' +
        '"namespace":"default","scheduledTime":"1970-01-01T00:00:00.000Z"}',
    );
  });

  test('does not let a field override the keys of the line', () => {
    const line = formatJsonLine(entry({ fields: [{ level: 9, ts: 1, msg: 'x', error: 'y' }] }));
    expect(JSON.parse(line)).toEqual({
      level: 'info',
      ts: '2030-01-02T03:04:05.006Z',
      msg: 'created Job',
      level_: 9,
      ts_: 1,
      msg_: 'x',
      error_: 'y',
    });
  });

  test('has the error with its causes last', () => {
    const thrown = new Error('create Job default/a', { cause: new TypeError('socket hang up') });
    expect(JSON.parse(formatJsonLine(entry({ level: 'error', error: { thrown } }))).error).toEqual({
      name: 'Error',
      message: 'create Job default/a',
      stack: thrown.stack,
      cause: { name: 'TypeError', message: 'socket hang up', stack: expect.any(String) },
    });
  });

  test.each(['text', undefined, null, 7])('accepts %j as an error', (thrown) => {
    expect(JSON.parse(formatJsonLine(entry({ error: { thrown } }))).error).toEqual({ message: String(thrown) });
  });
});

describe('formatConsoleLine', () => {
  test('has time of day in UTC, level, message, fields', () => {
    const line = formatConsoleLine(
      entry({ level: 'INFO ', fields: [{ job: 'default/a-1', note: 'two words', left: 3, list: [1], empty: '' }] }),
    );
    expect(line).toBe('03:04:05.006 INFO  created Job job=default/a-1 note="two words" left=3 list=[1] empty=""');
  });

  test('shows an error among the fields without its stack', () => {
    const line = formatConsoleLine(entry({ level: 'INFO ', fields: [{ reason: new TypeError('no luck') }] }));
    expect(line).toBe('03:04:05.006 INFO  created Job reason={"name":"TypeError","message":"no luck"}');
  });

  test('puts the logger before the message', () => {
    const line = formatConsoleLine(entry({ level: 'DEBUG', fields: [{ logger: 'cache' }] }));
    expect(line).toBe('03:04:05.006 DEBUG cache: created Job');
  });

  test('shows the error and its causes below', () => {
    const thrown = new Error('outer', { cause: new TypeError('middle', { cause: 'root' }) });
    thrown.stack = 'Error: outer\n    at somewhere';
    expect(formatConsoleLine(entry({ level: 'ERROR', message: 'cannot work', error: { thrown } })).split('\n')).toEqual(
      [
        '03:04:05.006 ERROR cannot work',
        '    Error: outer',
        '        at somewhere',
        '    caused by TypeError: middle',
        '    caused by root',
      ],
    );
  });

  test('shows an error without a stack as one line', () => {
    const thrown = new ConfigurationError('kubeconfig: is empty', { cause: new Error('deeper') });
    const line = formatConsoleLine(entry({ error: { thrown } }));
    expect(line.split('\n').slice(1)).toEqual([
      '    ConfigurationError: kubeconfig: is empty',
      '    caused by Error: deeper',
    ]);
    expect(formatJsonLine(entry({ error: { thrown } }))).not.toContain('"stack"');
  });

  test('shows a thrown value that is not an Error', () => {
    expect(formatConsoleLine(entry({ error: { thrown: 42 } }))).toContain('\n    Error: 42');
  });
});

describe('external text cannot control a terminal or add a line', () => {
  // ANSI, a line, C1's CSI, DEL, Unicode's lines, bidi overrides and isolates, zero width.
  const hostile = '\u001b[2J\r\n12:00:00.000 ERROR forged\u009b31m\u007f\u2028\u2029\u202e\u2066\u061c\u200b\u0000';
  const thrown = () => new Error(hostile, { cause: new Error(hostile, { cause: hostile }) });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those it is about.
  const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069]/;

  test.each([
    ['a message', { message: hostile }],
    ['a field', { fields: [{ text: hostile }] }],
    ['a field of one word', { fields: [{ word: '\u001b[31m\u009b\u202e' }] }],
    ['the name of a field', { fields: [{ [hostile]: 1 }] }],
    ['a logger', { fields: [{ logger: hostile }] }],
    ['an error among the fields', { fields: [{ reason: thrown() }] }],
    ['an error', { error: { thrown: thrown() } }],
    ['what was thrown', { error: { thrown: hostile } }],
  ])('as %s', (_, more) => {
    const human = formatConsoleLine(entry(more));
    expect(human).not.toMatch(unprintable);
    const [, ...below] = human.split('\n');
    for (const line of below) expect(line).toMatch(/^ {4}(Error: | {4}at |caused by )/);
    const json = formatJsonLine(entry(more));
    expect(json).not.toMatch(unprintable);
    expect(json.split('\n')).toHaveLength(1);
    expect(JSON.parse(json)).toMatchObject({ level: 'info' });
  });

  test('and JSON keeps its meaning', () => {
    expect(JSON.parse(formatJsonLine(entry({ message: hostile })))).toMatchObject({ msg: hostile });
  });
});
