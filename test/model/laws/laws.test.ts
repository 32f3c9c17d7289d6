import { expect, test } from 'vitest';
import type { NewJob } from '../../../api/kubernetes.ts';
import type { CronJobStatus } from '../../../api/v1/cronjob-types.ts';
import { editSpec, serve } from '../api-server.ts';
import { NOTHING } from '../budget.ts';
import { initialState, type State } from '../state.ts';
import { quietFaults } from './quiet.ts';
import { statusFaults } from './status.ts';
import { writeFaults } from './writes.ts';

const FIRST = 'c-1767225660';
const SECOND = 'c-1767225720';

function jobNamed(name: string): NewJob {
  const owner = { apiVersion: '', kind: '', name: 'c', uid: 'u', controller: true };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'default', ownerReferences: [owner] },
  } as never;
}

const empty = initialState({ spec: {}, budget: NOTHING });
const ran = serve(empty, { kind: 'create', job: jobNamed(FIRST) }).state;

function withStatus(state: State, status: CronJobStatus): State {
  const { metadata } = state.cronJob ?? {};
  return serve(state, { kind: 'updateStatus', sent: { metadata: metadata as never, status } }).state;
}

test('a slot that runs twice is found', () => {
  const again = { kind: 'create', job: jobNamed(FIRST) } as const;
  expect(writeFaults(ran, again)).toEqual([`${FIRST} runs a second time`]);
  expect(writeFaults({ ...ran, unprovable: [`u/${FIRST}`] }, again)).toEqual([]);
});

test('a run that starts beside another one under Forbid is found', () => {
  const second = { kind: 'create', job: jobNamed(SECOND) } as const;
  const forbids = editSpec(ran, { concurrencyPolicy: 'Forbid' });
  expect(writeFaults(forbids, second)).toEqual([`${SECOND} starts beside ${FIRST}`]);
  expect(writeFaults(ran, second)).toEqual([]);
});

test.each<[string, CronJobStatus]>([
  ['a run that never was', { lastScheduleTime: '2026-01-01T00:00:00Z' }],
  ['an active Job that never was', { active: [{ name: 'c-1' }] }],
  ['an end that has not come', { recentRuns: [`2026-01-01T00:01:00Z Succeeded ${FIRST} Schedule`] }],
  ['a skip of a slot that ran', { recentSkips: ['2026-01-01T00:01:00Z Suspended'] }],
  ['a skip of a slot that can still start', { recentSkips: ['2026-01-01T00:02:00Z Superseded'] }],
  ['a time ahead of the clock', { handledThrough: '2026-01-01T00:05:00Z' }],
])('a status that claims %s is found', (_, status) => {
  const later = { ...ran, nowMs: Date.parse('2026-01-01T00:02:00Z') };
  expect(statusFaults(later)).toEqual([]);
  expect(statusFaults(withStatus(later, status))).toHaveLength(1);
});

test('a slot that nothing explains is found', () => {
  const since = { schedule: '* * * * *', timeZone: 'UTC', since: '2026-01-01T00:00:00Z' };
  const later = { ...withStatus(ran, { effectiveSchedule: since }), nowMs: Date.parse('2026-01-01T00:02:00Z') };
  expect(quietFaults(later)).toEqual(['2026-01-01T00:02:00Z neither ran nor has a recorded reason']);
});
