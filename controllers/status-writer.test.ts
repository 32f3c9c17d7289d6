import { ApiError, LiveClient } from 'controller-runtime';
import { FakeClock, RecordingLogger, RecordingTransport } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import type { CronJob, CronJobStatus } from '../api/v1/cronjob-types.ts';
import { cronJob } from '../test/support/cron-jobs.ts';
import { throwing } from '../test/support/throwing.ts';
import { NO_NOTIFICATIONS } from './cronjob/events.ts';
import { withPendingStatus } from './cronjob/pending.ts';
import { StatusWriter } from './status-writer.ts';

const KEY = 'default/hello';
const status: CronJobStatus = { activeCount: 0, lastScheduleTime: '2026-01-01T01:00:00Z' };

class Scene {
  othersComeFirst = false;
  readonly clock = new FakeClock();
  readonly log = new RecordingLogger();
  readonly transport = new RecordingTransport();
  readonly writer = new StatusWriter(new LiveClient(this.transport, { fieldManager: 'tester' }), this.clock);

  /** Makes the API server store only the fields that `keep` returns. */
  keeps(keep: (status: CronJobStatus) => CronJobStatus): void {
    this.transport.answer = ({ body }) => ({ ...cronJob(), status: keep((body as { status: CronJobStatus }).status) });
  }

  write(
    given: CronJob,
    wanted = status,
    { signal = new AbortController().signal, canWait = true, notifications = NO_NOTIFICATIONS } = {},
  ) {
    const context = {
      log: this.log,
      signal,
      tryContinueAtLowPriority: () => !this.othersComeFirst,
      hasWaitingObjects: () => false,
    };
    const outcome = { status: wanted, canWait, mustRecord: false, events: [], notifications, retry: false };
    return this.writer.write(given, outcome, context);
  }

  /** The CronJob as a reconcile gets it. */
  newest(given: CronJob): CronJob {
    return withPendingStatus(given, this.writer.pending(given));
  }
}

test('a status that is already stored is not written', async () => {
  const scene = new Scene();
  expect(await scene.write(cronJob({}, status))).toMatchObject({ kind: 'Stored', status, isNew: false });
  expect(scene.transport.requests).toEqual([]);
});

describe('a status that cannot be stored', () => {
  test.each([
    ['because another client wrote it', new ApiError(409, { reason: 'Conflict' }), 0, 5],
    ['because the server is in trouble', new ApiError(503, {}), 1, 5],
    ['because the server wants to be left alone', new ApiError(429, {}, 7000), 1, 7000],
  ])('%s is tried again after a while', async (_, error, logged, remainingMs) => {
    const scene = new Scene();
    scene.transport.answer = throwing(error);
    expect(await scene.write(cronJob())).toEqual({ kind: 'Failed', status: {} });
    expect(scene.log.errors).toHaveLength(logged);
    expect(scene.writer.remainingMs(KEY)).toBe(remainingMs);
    scene.keeps((sent) => sent);
    expect(await scene.write(cronJob())).toMatchObject({ kind: 'Stored', status, isNew: true });
    expect(scene.writer.remainingMs(KEY)).toBeUndefined();
  });

  test('because the manager stops is not an error', async () => {
    const scene = new Scene();
    const reason = new Error('leadership lost');
    scene.transport.answer = throwing(reason);
    expect(await scene.write(cronJob(), status, { signal: AbortSignal.abort(reason) })).toEqual({
      kind: 'Failed',
      status: {},
    });
    expect(scene.log.errors).toEqual([]);
  });

  test('because the CronJob is gone is not an error', async () => {
    const scene = new Scene();
    scene.transport.answer = throwing(new ApiError(404, { reason: 'NotFound' }));
    expect(await scene.write(cronJob())).toEqual({ kind: 'Gone' });
    expect(scene.log.errors).toEqual([]);
    expect(scene.writer.remainingMs(KEY)).toBeUndefined();
  });
});

describe('a CRD that drops fields', () => {
  const stored: CronJobStatus = { lastScheduleTime: '2026-01-01T01:00:00Z' };

  async function dropping(): Promise<Scene> {
    const scene = new Scene();
    scene.keeps(({ lastScheduleTime }) => ({ ...(lastScheduleTime && { lastScheduleTime }) }));
    expect(await scene.write(cronJob())).toMatchObject({ kind: 'Stored', status: stored, isNew: true });
    return scene;
  }

  test('is reported once, with the fields', async () => {
    const scene = await dropping();
    await scene.write(cronJob({}, stored), { ...status, activeCount: 1 });
    expect(scene.log.records).toMatchObject([
      { message: expect.stringContaining('CustomResourceDefinition'), fields: { fields: ['activeCount'] } },
    ]);
  });

  test('does not have the same sent again and again', async () => {
    const scene = await dropping();
    expect(scene.newest(cronJob({}, stored)).status).toEqual(status);
    expect(await scene.write(cronJob({}, stored))).toMatchObject({ kind: 'Stored', status: stored, isNew: false });
    expect(scene.transport.requests).toHaveLength(1);
  });

  test.each([
    ['stored', { lastScheduleTime: '2026-01-01T02:00:00Z' }],
    ['lost', stored],
  ])('does not bring back what was sent before a write that got no answer and was %s', async (_, found) => {
    const scene = await dropping();
    scene.transport.answer = throwing(new ApiError(504, {}));
    const sent = { lastScheduleTime: '2026-01-01T02:00:00Z', activeCount: 1 };
    await scene.write(cronJob({}, stored), sent);
    expect(scene.newest(cronJob({}, found)).status).toEqual(sent);
  });

  test('does not bring back a field that a write without an answer has not', async () => {
    const scene = await dropping();
    scene.transport.answer = throwing(new ApiError(504, {}));
    await scene.write(cronJob({}, stored), { lastScheduleTime: '2026-01-01T02:00:00Z' });
    const found = cronJob({}, { lastScheduleTime: '2026-01-01T02:00:00Z' });
    expect(scene.newest(found).status).toEqual(found.status);
  });

  test('is forgotten with the CronJob, and does not concern another of the name', async () => {
    const scene = await dropping();
    const another = cronJob({}, stored, { uid: 'another' });
    expect(scene.newest(another)).toBe(another);
    scene.writer.forget(KEY);
    expect(scene.newest(cronJob({}, stored)).status).toEqual(stored);
  });

  test('counts no more once it is replaced', async () => {
    const scene = await dropping();
    scene.keeps((sent) => sent);
    await scene.write(cronJob({}, stored), { ...status, activeCount: 1 });
    expect(scene.newest(cronJob({}, stored)).status).toEqual(stored);
  });

  test('is found out to be replaced within an hour, though nothing else happens to the CronJob', async () => {
    const scene = await dropping();
    scene.keeps((sent) => sent);
    await scene.clock.advance(3_599_000);
    expect(await scene.write(cronJob({}, stored))).toMatchObject({ kind: 'Stored', status: stored, isNew: false });
    await scene.clock.advance(1_000);
    expect(await scene.write(cronJob({}, stored))).toMatchObject({ kind: 'Stored', status, isNew: true });
  });

  test('still costs one status write an hour at most', async () => {
    const scene = await dropping();
    await scene.clock.advance(3_600_000);
    await scene.write(cronJob({}, stored));
    await scene.write(cronJob({}, stored));
    expect(scene.transport.requests).toHaveLength(2);
  });
});

test('a field that something else adds to what is sent is not taken for one that was dropped', async () => {
  const scene = new Scene();
  scene.keeps((sent) => ({ ...sent, phase: 'Ready' }) as CronJobStatus);
  await scene.write(cronJob());
  expect(scene.log.records).toEqual([]);
});

describe('the report of a stored status', () => {
  const about = (message: string) => ({
    ...NO_NOTIFICATIONS,
    events: [{ type: 'Normal', reason: 'SawCompletedJob', message }] as const,
  });

  test('waits with the status, and is sent once', async () => {
    const scene = new Scene();
    scene.transport.answer = throwing(new ApiError(503, {}));
    expect(await scene.write(cronJob(), status, { notifications: about('first') })).toEqual({
      kind: 'Failed',
      status: {},
    });
    scene.othersComeFirst = true;
    expect(await scene.write(cronJob(), status, { notifications: about('second') })).toEqual({ kind: 'Postponed' });
    scene.othersComeFirst = false;
    scene.keeps((sent) => sent);
    const events = [...about('first').events, ...about('second').events];
    expect(await scene.write(cronJob())).toMatchObject({ kind: 'Stored', notifications: { events } });
    expect(await scene.write(cronJob({}, status))).toMatchObject({ notifications: NO_NOTIFICATIONS });
  });

  test('is sent when the status turns out to be stored', async () => {
    const scene = new Scene();
    scene.transport.answer = throwing(new ApiError(504, {}));
    await scene.write(cronJob(), status, { notifications: about('first') });
    expect(await scene.write(cronJob({}, status))).toMatchObject({ isNew: false, notifications: about('first') });
  });

  test('is bounded: the newest twenty events', async () => {
    const scene = new Scene();
    scene.othersComeFirst = true;
    for (let count = 0; count <= 100; count++)
      await scene.write(cronJob(), status, { notifications: about(`${count}`) });
    const { events = [] } = scene.writer.pending(cronJob())?.notifications ?? {};
    expect(events).toHaveLength(20);
    expect(events.at(-1)?.message).toBe('100');
  });
});
