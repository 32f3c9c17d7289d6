import { describe, expect, test } from 'vitest';
import type { Manifest } from '../../support/manifests.ts';
import { type ContainerReport, podStatus } from './pod-status.ts';

const CREATED = '2026-01-01T00:00:00Z';
const SINCE = '2026-01-01T00:00:07Z';
const STARTING: ContainerReport = {
  state: { waiting: { reason: 'ContainerCreating' } },
  lastState: {},
  restartCount: 0,
  isReady: false,
  since: SINCE,
};
const RUNNING = { ...STARTING, state: { running: { startedAt: SINCE } } };

function statusOf(report: ContainerReport, status: object = { phase: 'Pending' }): Manifest['status'] {
  const metadata = { name: 'pod', uid: 'u', resourceVersion: '1', creationTimestamp: CREATED };
  const spec = { containers: [{ name: 'manager', image: 'image:1' }] };
  return podStatus({ apiVersion: 'v1', kind: 'Pod', metadata, spec, status }, report);
}

const condition = (status: Manifest['status'], type: string) =>
  status.conditions.filter((each: { type: string }) => each.type === type);

test('a Pod is ready when its container is, since then', () => {
  const status = statusOf({ ...RUNNING, isReady: true });
  expect(status.phase).toBe('Running');
  for (const type of ['Ready', 'ContainersReady']) {
    expect(condition(status, type)).toEqual([{ type, status: 'True', lastTransitionTime: SINCE }]);
  }
  expect(status.containerStatuses).toEqual([
    {
      name: 'manager',
      image: 'image:1',
      imageID: '',
      ready: true,
      started: true,
      restartCount: 0,
      state: RUNNING.state,
      lastState: {},
    },
  ]);
});

test('a Pod whose container is not ready is not', () => {
  const status = statusOf(RUNNING);
  expect(status.phase).toBe('Running');
  expect(condition(status, 'Ready')).toMatchObject([{ status: 'False' }]);
  expect(condition(status, 'ContainersReady')).toMatchObject([{ status: 'False' }]);
  expect(condition(status, 'Initialized')).toMatchObject([{ status: 'True' }]);
  expect(status.containerStatuses[0]).toMatchObject({ ready: false, started: true });
});

describe('a Pod whose container waits', () => {
  test('is pending before its first start', () => {
    expect(statusOf(STARTING)).toMatchObject({ phase: 'Pending', containerStatuses: [{ started: false }] });
  });

  test('runs after its first start, and says how it ended', () => {
    const lastState = { terminated: { exitCode: 137 } };
    const state = { waiting: { reason: 'CrashLoopBackOff' } };
    expect(statusOf({ ...STARTING, state, lastState })).toMatchObject({
      phase: 'Running',
      containerStatuses: [{ state, lastState, ready: false, started: false }],
    });
  });
});

test('what others have written stays', () => {
  const foreign = { type: 'DisruptionTarget', status: 'True' };
  const conditions = [foreign, { type: 'Ready', status: 'True' }];
  const status = statusOf(RUNNING, { phase: 'Running', qosClass: 'Burstable', conditions });
  expect(status.qosClass).toBe('Burstable');
  expect(condition(status, 'DisruptionTarget')).toEqual([foreign]);
  expect(condition(status, 'Ready')).toMatchObject([{ status: 'False' }]);
});
