/** The check of the targets of hostile inputs fails when it should. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectWithinCpu } from '../hostile/support/cpu.ts';
import { applyEdits, type JsonEdit } from '../hostile/support/json.ts';
import { findStatusFaults, isWellFormed } from '../hostile/support/stored-status.ts';
import { attack, attackAsync } from '../hostile/support/target.ts';
import { SEED } from './seed.ts';

const inputs = fc.nat(1000);
const RUNS = 200;
const HANG_MS = 300;

/** The report of the attack reports with this `check`. */
function getReport(check: (input: number) => void, hangMs?: number): string {
  try {
    attack({ name: 'numbers', inputs, check }, RUNS, hangMs === undefined ? {} : { hangMs });
  } catch (error) {
    return String(error);
  }
  return 'nothing';
}

describe('the attack reports', () => {
  test('a failure with the seed and the smallest input, the same each time', async () => {
    const check = (input: number) => {
      if (input > 10) throw new Error('too large');
    };
    const report = getReport(check);
    expect(report).toMatch(
      new RegExp(`^Error: numbers fails \\(FAULTS_SEED=${SEED} repeats it;.*too large\\ninput: 11$`, 's'),
    );
    expect(getReport(check)).toBe(report);
    const later = attackAsync({ name: 'numbers', inputs, check: async (input) => check(input) }, RUNS);
    await expect(later).rejects.toThrow(/FAULTS_SEED=.*too large\ninput: 11$/s);
  });

  test('a hang with its input, and ends it', () => {
    const report = getReport((input) => {
      while (input >= 0);
    }, HANG_MS);
    expect(report).toMatch(new RegExp(`numbers hangs with seed ${SEED} on \\d+$`));
  });

  test('a target that adds a field to every object', () => {
    const prototype = Object.prototype as unknown as Record<string, unknown>;
    try {
      const report = getReport(() => Object.assign(prototype, { polluted: 1 }));
      expect(report).toContain('every object has the property "polluted"');
    } finally {
      delete prototype['polluted'];
    }
    expect(getReport(() => {})).toBe('nothing');
  });
});

test('reports a call that always takes more CPU than its limit', () => {
  const spin = () => {
    const before = process.threadCpuUsage();
    while (process.threadCpuUsage(before).user < 3000);
  };
  expect(() => expectWithinCpu(1, spin)).toThrow(/more than 1 ms$/);
  expect(expectWithinCpu(1000, () => 5)).toBe(5);
  let calls = 0;
  expectWithinCpu(2, () => (calls++ === 0 ? spin() : undefined));
  expect(calls).toBe(2);
});

test('checks only the written fields of a status', () => {
  const condition = { type: 'Mine', status: 'Maybe' };
  const stored = { lastRun: 5, conditions: [condition] };
  expect(findStatusFaults(stored, stored)).toEqual([]);
  expect(findStatusFaults({ ...stored, activeCount: 1 }, stored)).toEqual([]);
  expect(findStatusFaults(stored, {})).not.toEqual([]);
  expect(findStatusFaults({ conditions: [condition, condition] }, { conditions: [condition, condition] })).not.toEqual(
    [],
  );
  expect(findStatusFaults({ consecutiveFailures: 0.5 }, {})).not.toEqual([]);
  expect(findStatusFaults({ handledThrough: '2026-02-30T00:00:00Z' }, {})).not.toEqual([]);
  expect([isWellFormed({ a: '😀\\ud800' }), isWellFormed({ a: 'x\ud83d' })]).toEqual([true, false]);
});

test('an edit creates an own key with any name', () => {
  const add: JsonEdit = { path: [], change: { kind: 'add', key: '__proto__', value: { a: 1 } } };
  expect(JSON.stringify(applyEdits('{}', [add]))).toBe('{"__proto__":{"a":1}}');
  const copy: JsonEdit = { path: [0, 0], change: { kind: 'copy', from: [] } };
  expect(JSON.stringify(applyEdits('{"a":[1]}', [copy]))).toBe('{"a":[{"a":[1]}]}');
});
