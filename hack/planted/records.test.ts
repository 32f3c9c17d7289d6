import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PROJECT } from '../../test/support/manifests.ts';
import { parseOptions } from './options.ts';
import { readPlantedFaults } from './patches.ts';
import { readRecords } from './records.ts';
import { savePlantedResults } from './results.ts';
import { SUITES } from './suites.ts';

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'planted-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'file.json');
  writeFileSync(path, text);
  return path;
}

const faults = ['01-first', '02-second', '12-last'].map((name) => ({ name, path: '', fault: '', harm: '' }));

test('what is recorded here is of faults and suites that exist', () => {
  const all = readPlantedFaults(join(PROJECT, 'test/planted'));
  expect(readRecords(join(import.meta.dirname, 'found-by.json'), all, SUITES).size).toBeGreaterThan(0);
});

test('a record names its suites, and what of them', () => {
  const path = fileWith(
    '{"01-first": {"suite": "crash"}, "02-second": [{"suite": "simulation", "part": ["--seed", "1"]}, {"suite": "crash"}]}',
  );
  expect([...readRecords(path, faults, SUITES)]).toEqual([
    ['01-first', [{ suite: 'crash', part: [], env: {} }]],
    [
      '02-second',
      [
        { suite: 'simulation', part: ['--seed', '1'], env: {} },
        { suite: 'crash', part: [], env: {} },
      ],
    ],
  ]);
});

test.each([
  ['{"03-third": {"suite": "crash"}}', 'there is no fault 03-third'],
  ['{"01-first": {"suite": "luck"}}', '01-first: there is no suite luck'],
  ['{"01-first": {"suite": "crash", "parts": []}}', 'parts'],
])('the records %s are refused', (text, message) => {
  expect(() => readRecords(fileWith(text), faults, SUITES)).toThrow(message);
});

test.each([
  [[], ['01-first', '02-second', '12-last']],
  [
    ['12-last', '1'],
    ['01-first', '12-last'],
  ],
  [['--search', '02'], ['02-second']],
])('the flags %j choose %j', (args, names) => {
  const options = parseOptions(args, faults);
  expect(options.faults.map(({ name }) => name)).toEqual(names);
  expect(options.searches).toBe(args.includes('--search'));
});

test('the name of a fault that does not exist is refused', () => {
  expect(() => parseOptions(['3'], faults)).toThrow('there is no fault "3"');
});

test('new results take the place of old ones, and those of faults that are gone are dropped', () => {
  const result = (name: string, foundBy: string) => ({ name, fault: '', foundBy });
  const path = fileWith(JSON.stringify([result('00-gone', 'x'), result('01-first', 'old'), result('12-last', 'old')]));
  savePlantedResults(
    path,
    [result('12-last', 'new')],
    faults.map(({ name }) => name),
  );
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual([result('01-first', 'old'), result('12-last', 'new')]);
});
