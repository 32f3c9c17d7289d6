import { describe, expect, test } from 'vitest';
import { toPlainValue } from './to-plain-value.ts';

describe('toPlainValue', () => {
  test.each([
    ['text', 'text'],
    [1.5, 1.5],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [true, true],
    [null, null],
    [undefined, 'undefined'],
    [123n, '123'],
    [Symbol('s'), 'Symbol(s)'],
    [function named() {}, '[function named]'],
    [new Date('2030-01-02T03:04:05.678Z'), '2030-01-02T03:04:05.678Z'],
    [new Date(Number.NaN), 'Invalid Date'],
    [
      [1, [2n]],
      [1, ['2']],
    ],
    [new Set(['a', 'b']), ['a', 'b']],
    [new Map([['a', new Date(0)]]), { a: '1970-01-01T00:00:00.000Z' }],
    [
      { a: 1, b: undefined, c: { d: null } },
      { a: 1, c: { d: null } },
    ],
    [{ toJSON: () => ({ shown: 1n }) }, { shown: '1' }],
    [new URL('http://host/path'), 'http://host/path'],
  ])('converts %o', (value, want) => {
    expect(toPlainValue(value)).toEqual(want);
  });

  const user = '    at reconcile (file:///app/controllers/database-controller.ts:9:5)';
  const library = '    at LiveClient.apply (file:///app/node_modules/controller-runtime/client/live-client.js:1:1)';
  const node = '    at process.processTicksAndRejections (node:internal/process/task_queues:103:5)';
  test.each([
    ['the frames of an operator', [library, user, node, library], [user]],
    ['all frames, without a frame of an operator', [library, node], [library, node]],
  ])('keeps %s in a stack', (_, frames, want) => {
    const error = new Error('apply Deployment a');
    error.stack = ['Error: apply Deployment a', ...frames].join('\n');
    expect(toPlainValue(error)).toMatchObject({ stack: ['Error: apply Deployment a', ...want].join('\n') });
  });

  test('converts an error with its name, fields, stack and causes', () => {
    const root = Object.assign(new RangeError('deep'), { code: 'EDEEP' });
    const error = new Error('outer', { cause: new Error('middle', { cause: root }) });
    expect(toPlainValue(error)).toMatchObject({
      name: 'Error',
      message: 'outer',
      stack: error.stack,
      cause: { message: 'middle', cause: { name: 'RangeError', message: 'deep', code: 'EDEEP' } },
    });
  });

  test('leaves out other fields that a library adds to an error', () => {
    const error = Object.assign(new Error('cannot parse'), {
      code: 400,
      mark: { buffer: 'token: s3cr3t' },
      input: 's3cr3t',
    });
    expect(JSON.stringify(toPlainValue({ inside: [error] }))).not.toContain('s3cr3t');
    expect(toPlainValue(error)).toMatchObject({ message: 'cannot parse', code: 400 });
  });

  test('converts every error of an AggregateError', () => {
    const error = new AggregateError([new Error('one'), 'two'], 'both');
    expect(toPlainValue(error)).toMatchObject({ message: 'both', errors: [{ message: 'one' }, 'two'] });
  });

  test('cuts cycles, and repeats values that occur twice', () => {
    const shared = { name: 'x' };
    const loop: Record<string, unknown> = { one: shared, other: shared };
    loop['self'] = { again: loop };
    expect(toPlainValue(loop)).toEqual({ one: { name: 'x' }, other: { name: 'x' }, self: { again: '[circular]' } });
  });

  test('cuts an error that is its own cause', () => {
    const error = new Error('loop');
    error.cause = error;
    expect(toPlainValue(error)).toMatchObject({ message: 'loop', cause: '[circular]' });
  });

  test('cuts values that are nested too deeply', () => {
    const deep = [[[[[[['bottom']]]]]]];
    expect(toPlainValue(deep)).toEqual([[[[[['[too deep]']]]]]]);
  });

  test('describes unreadable values', () => {
    const hostile = {
      fine: 1,
      get broken(): never {
        throw new Error('no');
      },
    };
    expect(toPlainValue(hostile)).toEqual({ fine: 1, broken: '[unreadable: no]' });
    const toJSON = () => {
      throw new TypeError('never');
    };
    expect(toPlainValue({ inside: { toJSON } })).toEqual({ inside: '[unreadable: never]' });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(toPlainValue({ proxy })).toMatchObject({ proxy: expect.stringMatching(/^\[unreadable: /) });
  });
});
