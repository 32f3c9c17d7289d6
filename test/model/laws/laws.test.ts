import { expect, test } from 'vitest';
import type { NewJob } from '../../../api/kubernetes.ts';
import type { CronJob, CronJobSpec, CronJobStatus } from '../../../api/v1/cronjob-types.ts';
import type { CronJobRun, CronJobRunStatus } from '../../../api/v1/cronjobrun-types.ts';
import { RUN_NOW_ANNOTATION } from '../../../api/v1/groupversion.ts';
import { processSteps } from '../actions/processes.ts';
import { editSpec, executeWrite, finishJob, storeRequest } from '../api-server.ts';
import { EMPTY_BUDGET } from '../budget.ts';
import { initialState, type ModelState } from '../state.ts';
import { checkQuiet } from './quiet.ts';
import { checkQuietRequest, checkRequestStatus } from './requested.ts';
import { checkStatus } from './status.ts';
import { checkWrite } from './writes.ts';

const FIRST = 'c-1767225660';
const SECOND = 'c-1767225720';

function newJob(name: string): NewJob {
  const owner = { apiVersion: '', kind: '', name: 'c', uid: 'u', controller: true };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'default', ownerReferences: [owner] },
  } as never;
}

const empty = { ...initialState({ spec: {}, budget: EMPTY_BUDGET }), nowMs: Date.parse('2026-01-01T00:02:00Z') };
const afterFirstRun = executeWrite(empty, { kind: 'create', job: newJob(FIRST) }).state;

function withStatus(state: ModelState, status: CronJobStatus): ModelState {
  const { metadata } = state.cronJob ?? {};
  return executeWrite(state, { kind: 'updateStatus', sent: { metadata: metadata as never, status } }).state;
}

test('finds a slot that runs twice', () => {
  const secondCreate = { kind: 'create', job: newJob(FIRST) } as const;
  expect(checkWrite(afterFirstRun, secondCreate)).toEqual([`${FIRST} runs a second time`]);
  expect(checkWrite({ ...afterFirstRun, untraceableRuns: [`u/${FIRST}`] }, secondCreate)).toEqual([]);
});

test('finds a run that starts before its delay is over, or outside of its window', () => {
  const second = { kind: 'create', job: newJob(SECOND) } as const;
  const withSpec = (spec: Partial<CronJobSpec>) => {
    const edited = editSpec(empty, spec);
    return { ...edited, cachedCronJob: edited.cronJob };
  };
  expect(checkWrite(withSpec({ jitterSeconds: 30 }), second)).toEqual([`${SECOND} starts before its time`]);
  expect(checkWrite(withSpec({ endTime: '2026-01-01T00:02:00Z' }), second)).toEqual([
    `${SECOND} starts outside of startTime and endTime`,
  ]);
});

test('finds a run that starts beside another one under Forbid', () => {
  const second = { kind: 'create', job: newJob(SECOND) } as const;
  const forbids = editSpec(afterFirstRun, { concurrencyPolicy: 'Forbid' });
  expect(checkWrite(forbids, second)).toEqual([`${SECOND} starts beside ${FIRST}`]);
  expect(checkWrite(afterFirstRun, second)).toEqual([]);
});

test.each<[string, CronJobStatus]>([
  ['a run that was never created', { lastScheduleTime: '2026-01-01T00:00:00Z' }],
  ['an active Job that was never created', { active: [{ name: 'c-1' }] }],
  ['a result of a run that is active', { recentRuns: [`2026-01-01T00:01:00Z Succeeded ${FIRST} Schedule`] }],
  ['a skip of a slot that ran', { recentSkips: ['2026-01-01T00:01:00Z Suspended'] }],
  ['a skip of a slot that can still start', { recentSkips: ['2026-01-01T00:02:00Z Superseded'] }],
  ['a time ahead of the clock', { handledThrough: '2026-01-01T00:05:00Z' }],
])('finds a status with %s', (_, status) => {
  const later = { ...afterFirstRun, nowMs: Date.parse('2026-01-01T00:02:00Z') };
  expect(checkStatus(later)).toEqual([]);
  expect(checkStatus(withStatus(later, status))).toHaveLength(1);
});

test('finds a slot without a run or a reason', () => {
  const since = { schedule: '* * * * *', timeZone: 'UTC', since: '2026-01-01T00:00:00Z' };
  const later = {
    ...withStatus(afterFirstRun, { effectiveSchedule: since }),
    nowMs: Date.parse('2026-01-01T00:02:00Z'),
  };
  expect(checkQuiet(later)).toEqual(['2026-01-01T00:02:00Z has no run and no recorded reason']);
});

test('lets the last slot before the end wait for an active run, but no earlier one', () => {
  const since = { schedule: '* * * * *', timeZone: 'UTC', since: '2026-01-01T00:01:00Z' };
  const blocked = editSpec(afterFirstRun, { concurrencyPolicy: 'Forbid', endTime: '2026-01-01T00:04:00Z' });
  const later = {
    ...withStatus(blocked, { effectiveSchedule: since }),
    nowMs: Date.parse('2026-01-01T00:05:00Z'),
    editedMs: Date.parse(since.since),
  };
  expect(checkQuiet(later)).toEqual(['2026-01-01T00:02:00Z has no run and no recorded reason']);
});

test('lets a manual run wait for an active run, also with Skip', () => {
  const skips = editSpec(afterFirstRun, { concurrencyPolicy: 'Skip', suspend: true });
  const { metadata } = skips.cronJob as CronJob;
  const waiting = {
    ...skips,
    cronJob: { ...(skips.cronJob as CronJob), metadata: { ...metadata, annotations: { [RUN_NOW_ANNOTATION]: 'x' } } },
  };
  const fault = 'the manual run x has not started';
  expect(checkQuiet(waiting)).not.toContain(fault);
  expect(checkQuiet({ ...waiting, jobs: [] })).toContain(fault);
});

test('lets a slot run that a late status of an earlier manager records as skipped', () => {
  const recentSkips = ['2026-01-01T00:01:00Z ConcurrencyPolicySkip'];
  const sent = { metadata: empty.cronJob?.metadata as never, status: { recentSkips } };
  const [arrival] = processSteps({ ...empty, inFlight: { kind: 'updateStatus', sent } });
  expect(arrival?.faults).toEqual([]);
  const create = { kind: 'create', job: newJob(FIRST) } as const;
  expect(checkStatus(executeWrite(arrival?.state ?? empty, create).state)).toEqual([]);
  const fault = `${FIRST} ran, but its slot is recorded as a skip`;
  expect(checkStatus(executeWrite(withStatus(empty, { recentSkips }), create).state)).toEqual([fault]);
});

const REQUESTED = 'c-r1f58b9145';
const requested = executeWrite(initialState({ spec: {}, budget: EMPTY_BUDGET, request: { manual: {} } }), {
  kind: 'create',
  job: newJob(REQUESTED),
}).state;

function withRequest(state: ModelState, changed: Partial<CronJobRun>): ModelState {
  return storeRequest(state, { ...(state.request.stored as CronJobRun), ...changed });
}

test('finds a requested run that starts twice, or that no CronJobRun requests', () => {
  const create = { kind: 'create', job: newJob(REQUESTED) } as const;
  expect(checkWrite(requested, create)).toEqual([`${REQUESTED} runs a second time`]);
  const finished = withRequest(requested, { status: { completionTime: '2026-01-01T00:00:00Z' } });
  const seen = { ...finished, createCounts: {}, request: { ...finished.request, cached: finished.request.stored } };
  expect(checkWrite(seen, create)).toEqual([`${REQUESTED} starts, but its CronJobRun is gone, suspended or finished`]);
});

test('finds slots that start out of order, unless a fast clock has started the later one', () => {
  const [first, second] = ['c-1767225660', 'c-1767225720'];
  const create = (name: string) => ({ kind: 'create', job: newJob(name) }) as const;
  const afterSecond = executeWrite(initialState({ spec: {}, budget: EMPTY_BUDGET }), create(second)).state;
  const checkAt = (nowMs: number) => checkWrite({ ...afterSecond, nowMs }, create(first));
  expect(checkAt(1_767_225_720_000)).toContain(`${first} starts after ${second}`);
  expect(checkAt(1_767_225_719_000)).not.toContain(`${first} starts after ${second}`);
});

test('finds requested runs that start side by side, or out of order', () => {
  const [first, second] = ['c-b1767225480-1f58b', 'c-b1767225540-1f58b'];
  const create = (name: string) => ({ kind: 'create', job: newJob(name) }) as const;
  const withRequest = initialState({ spec: {}, budget: EMPTY_BUDGET, request: { manual: {} } });
  const afterFirst = executeWrite(withRequest, create(first)).state;
  expect(checkWrite({ ...afterFirst, cachedJobs: afterFirst.jobs }, create(second))).toEqual([
    `${second} starts beside ${first} of the same CronJobRun`,
  ]);
  expect(checkWrite(afterFirst, create(second))).toEqual([]);
  const afterSecond = executeWrite(withRequest, create(second)).state;
  expect(checkWrite(afterSecond, create(first))).toEqual([`${first} starts after ${second}`]);
});

test('finds the requested history that is deleted before the CronJobRun has counted it', () => {
  const [job] = requested.jobs;
  const ended = job === undefined ? requested : finishJob(requested, job, 'Failed');
  const recorded = withStatus(ended, { recentRuns: [`2026-01-01T00:00:00Z Failed ${REQUESTED} Manual`] });
  const deletion = { kind: 'delete', name: REQUESTED, uid: undefined, isHistory: true } as const;
  expect(checkWrite(recorded, deletion)).toEqual([`${REQUESTED} is deleted, and the CronJobRun has not its result`]);
  const counted = withRequest(recorded, { status: { jobs: [{ name: REQUESTED, result: 'Failed' }] } });
  expect(checkWrite(counted, deletion)).toEqual([]);
});

test.each<[string, CronJobRunStatus]>([
  ['a Job that was never created', { active: 1, jobs: [{ name: 'c-r000000000', result: 'Running' }] }],
  ['a result of a run that is active', { succeeded: 1, jobs: [{ name: REQUESTED, result: 'Succeeded' }] }],
  ['a lost Job that exists', { failed: 1, jobs: [{ name: REQUESTED, result: 'Unknown' }] }],
  ['more runs than it asks for', { total: 2 }],
  ['an end before the last run has ended', { total: 1, completionTime: '2026-01-01T00:00:00Z' }],
])('finds a CronJobRun with %s', (_, status) => {
  expect(checkRequestStatus(requested)).toEqual([]);
  expect(checkRequestStatus(withRequest(requested, { status }))).toHaveLength(1);
});

test('finds a CronJobRun that does not go on, or does not list a run', () => {
  const idle = { ...withRequest(requested, { status: { total: 1 } }), jobs: [] };
  expect(checkQuietRequest(idle)).toEqual([
    'the CronJobRun has not finished, and nothing makes it wait',
    `${REQUESTED} has started, but r does not list it`,
  ]);
});

test('lets a CronJobRun miss the run of a CronJob that is gone', () => {
  const fault = `${REQUESTED} has started, but r does not list it`;
  const accepted = withRequest(requested, { status: { startTime: '2026-01-01T00:00:00Z' } });
  expect(checkQuietRequest(accepted)).toContain(fault);
  expect(checkQuietRequest({ ...accepted, cronJob: undefined })).toEqual([]);
});
