/** The check of the targets of hostile inputs fails when it should. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withinCpu } from '../hostile/support/cpu.ts';
import { type Edit, edited } from '../hostile/support/json.ts';
import { faultsOfStatus, isWellFormed } from '../hostile/support/stored-status.ts';
import { attack, attackAsync } from '../hostile/support/target.ts';
import { SEED } from './seed.ts';

const inputs = fc.nat(1000);
const RUNS = 200;
const HANG_MS = 300;

/** The report of a target with this `check`. */
function reportOf(check: (input: number) => void, hangMs?: number): string {
  try {
    attack({ name: 'numbers', inputs, check }, RUNS, hangMs === undefined ? {} : { hangMs });
  } catch (error) {
    return String(error);
  }
  return 'nothing';
}

describe('a target', () => {
  test('that fails is reported with the seed and the least input, the same each time', async () => {
    const check = (input: number) => {
      if (input > 10) throw new Error('too large');
    };
    const report = reportOf(check);
    expect(report).toMatch(
      new RegExp(`^Error: numbers fails \\(FAULTS_SEED=${SEED} repeats it;.*too large\\ninput: 11$`, 's'),
    );
    expect(reportOf(check)).toBe(report);
    const later = attackAsync({ name: 'numbers', inputs, check: async (input) => check(input) }, RUNS);
    await expect(later).rejects.toThrow(/FAULTS_SEED=.*too large\ninput: 11$/s);
  });

  test('that hangs is ended, and reported with the input', () => {
    const report = reportOf((input) => {
      while (input >= 0);
    }, HANG_MS);
    expect(report).toMatch(new RegExp(`numbers hangs with seed ${SEED} on \\d+$`));
  });

  test('that gives every object a field is reported', () => {
    const prototype = Object.prototype as unknown as Record<string, unknown>;
    try {
      const report = reportOf(() => Object.assign(prototype, { polluted: 1 }));
      expect(report).toContain('every object has "polluted" now');
    } finally {
      delete prototype['polluted'];
    }
    expect(reportOf(() => {})).toBe('nothing');
  });
});

test('a call that takes more CPU than its bound, each time, is reported', () => {
  const spin = () => {
    const before = process.threadCpuUsage();
    while (process.threadCpuUsage(before).user < 3000);
  };
  expect(() => withinCpu(1, spin)).toThrow(/more than 1 ms$/);
  expect(withinCpu(1000, () => 5)).toBe(5);
  let calls = 0;
  withinCpu(2, () => (calls++ === 0 ? spin() : undefined));
  expect(calls).toBe(2);
});

test('of a status, what is as it was is no fault; what was written is', () => {
  const condition = { type: 'Mine', status: 'Maybe' };
  const stored = { lastRun: 5, conditions: [condition] };
  expect(faultsOfStatus(stored, stored)).toEqual([]);
  expect(faultsOfStatus({ ...stored, activeCount: 1 }, stored)).toEqual([]);
  expect(faultsOfStatus(stored, {})).not.toEqual([]);
  expect(faultsOfStatus({ conditions: [condition, condition] }, { conditions: [condition, condition] })).not.toEqual(
    [],
  );
  expect(faultsOfStatus({ consecutiveFailures: 0.5 }, {})).not.toEqual([]);
  expect(faultsOfStatus({ handledThrough: '2026-02-30T00:00:00Z' }, {})).not.toEqual([]);
  expect([isWellFormed({ a: '😀\\ud800' }), isWellFormed({ a: 'x\ud83d' })]).toEqual([true, false]);
});

test('an edit makes a key of its own, whatever its name', () => {
  const add: Edit = { path: [], change: { kind: 'add', key: '__proto__', value: { a: 1 } } };
  expect(JSON.stringify(edited('{}', [add]))).toBe('{"__proto__":{"a":1}}');
  const copy: Edit = { path: [0, 0], change: { kind: 'copy', from: [] } };
  expect(JSON.stringify(edited('{"a":[1]}', [copy]))).toBe('{"a":[{"a":[1]}]}');
});
