/** What the CRD of CronJobRuns refuses and adds, without webhooks. */
import { describe, expect, test } from 'vitest';
import { cronJobRuns } from '../../controllers/resources.ts';
import { Scene } from '../support/scene.ts';
import { run } from './support/crd.ts';
import {
  backfillDays,
  buildRun,
  createRun,
  DAILY,
  findRefusal,
  finishJobsUntil,
  getRun,
  type RunManifestSpec,
} from './support/requested-runs.ts';

const SLOT = '2026-01-01T00:00:00Z';
const SECRET = { secretKeyRef: { name: 'password', key: 'value' } };
const OVERRIDES = { containers: [{ name: 'hello', args: ['a'], env: [{ name: 'A', value: 'a' }] }] };

describe('the CRD', () => {
  test('adds defaults', async () => {
    await using scene = await Scene.open();
    const { spec } = await createRun(scene, backfillDays(2));
    expect(spec).toMatchObject({
      concurrencyPolicy: 'Obey',
      backfill: { order: 'OldestFirst', maxConcurrentRuns: 1, limit: 100 },
    });
  });

  test.each<{ what: string; spec: RunManifestSpec; message: string }>([
    {
      what: 'no request',
      spec: {},
      message: 'spec: Invalid value: give exactly one of: manual, scheduledTime, backfill',
    },
    {
      what: 'two requests',
      spec: { manual: {}, scheduledTime: SLOT },
      message: 'give exactly one of: manual, scheduledTime, backfill',
    },
    {
      what: 'three requests',
      spec: { manual: {}, scheduledTime: SLOT, ...backfillDays(1) },
      message: 'give exactly one of: manual, scheduledTime, backfill',
    },
    {
      what: 'a backfill that ends at its start',
      spec: { backfill: { startTime: SLOT, endTime: SLOT } },
      message: 'spec.backfill: Invalid value: endTime must be after startTime; change one of them',
    },
    ...['9999-12-31T23:59:59-12:00', '0000-12-31T00:00:00Z'].map((time) => ({
      what: `the scheduled time ${time}, whose year in UTC is not between 1 and 9999`,
      spec: { scheduledTime: time },
      message: `spec.scheduledTime: Invalid value: "${time}": must be in the years 1 to 9999`,
    })),
    {
      what: 'a backfill that ends after the year 9999',
      spec: { backfill: { startTime: SLOT, endTime: '9999-12-31T23:59:59-12:00' } },
      message: 'spec.backfill.endTime: Invalid value: "9999-12-31T23:59:59-12:00": must be in the years 1 to 9999',
    },
    {
      what: 'a limit above the maximum',
      spec: backfillDays(1, { limit: 1001 }),
      message: 'less than or equal to 1000',
    },
    {
      what: 'a variable from a Secret',
      spec: {
        manual: {},
        overrides: { containers: [{ name: 'hello', env: [{ name: 'A', valueFrom: SECRET } as never] }] },
      },
      message: 'spec.overrides.containers[0].env[0].value: Required value',
    },
    { what: 'no CronJob', spec: { cronJobName: '', manual: {} }, message: 'spec.cronJobName' },
  ])('refuses $what', async ({ spec, message }) => {
    await using scene = await Scene.open();
    expect(await findRefusal(createRun(scene, spec))).toContain(message);
  });

  const changes: readonly (readonly [field: string, spec: RunManifestSpec, change: object])[] = [
    ['cronJobName', { manual: {} }, { cronJobName: 'other' }],
    ['manual', { manual: {} }, { manual: null, scheduledTime: SLOT }],
    ['scheduledTime', { scheduledTime: SLOT }, { scheduledTime: '2026-01-02T00:00:00Z' }],
    ['scheduledTime', { scheduledTime: SLOT }, { scheduledTime: null, manual: {} }],
    ['backfill', backfillDays(2), { backfill: { limit: 5 } }],
    ['backfill', backfillDays(2), { backfill: { order: 'NewestFirst' } }],
    ['backfill', backfillDays(2), { backfill: null, manual: {} }],
    ['overrides', { manual: {}, overrides: OVERRIDES }, { overrides: { activeDeadlineSeconds: 5 } }],
    ['overrides', { manual: {} }, { overrides: { activeDeadlineSeconds: 5 } }],
    ['overrides', { manual: {}, overrides: OVERRIDES }, { overrides: null }],
    ['overrides', { manual: {}, overrides: OVERRIDES }, { overrides: { containers: [{ name: 'hello', args: [] }] } }],
    ['concurrencyPolicy', { manual: {} }, { concurrencyPolicy: 'Ignore' }],
    ['ttlSecondsAfterFinished', { manual: {} }, { ttlSecondsAfterFinished: 5 }],
    ['ttlSecondsAfterFinished', { manual: {}, ttlSecondsAfterFinished: 6 }, { ttlSecondsAfterFinished: 5 }],
    ['ttlSecondsAfterFinished', { manual: {}, ttlSecondsAfterFinished: 6 }, { ttlSecondsAfterFinished: null }],
  ];

  test.each(changes)('refuses a change of %s', async (_, spec, change) => {
    await using scene = await Scene.open();
    const { metadata } = await createRun(scene, spec);
    const body = { spec: change };
    expect(await findRefusal(scene.client.patch(cronJobRuns, metadata, { kind: 'merge', body }))).toContain(
      'spec: Invalid value: only suspend can be changed; delete the CronJobRun and create another one',
    );
  });

  test('accepts each change of suspend', async () => {
    await using scene = await Scene.open();
    const { metadata } = await createRun(scene, { ...backfillDays(2), overrides: OVERRIDES });
    for (const suspend of [true, false, null, true]) {
      await scene.client.patch(cronJobRuns, metadata, { kind: 'merge', body: { spec: { suspend } } });
      expect((await getRun(scene)).spec.suspend).toBe(suspend ?? undefined);
    }
  });
});

describe('a field that may be null is absent in a server-side apply of null', () => {
  const overrides = { containers: [{ name: 'hello', args: null }], activeDeadlineSeconds: null };
  const absent = { ttlSecondsAfterFinished: null, suspend: null, concurrencyPolicy: null };

  test.each<{ what: string; spec: object }>([
    { what: 'manual', spec: { manual: {}, scheduledTime: null } },
    { what: 'manual, with overrides', spec: { manual: {}, overrides } },
    { what: 'scheduledTime', spec: { scheduledTime: SLOT } },
    { what: 'backfill', spec: { scheduledTime: null, backfill: { ...backfillDays(1).backfill, limit: null } } },
  ])('$what', async ({ spec }) => {
    await using scene = await Scene.open();
    await scene.startManager();
    await scene.createCronJob({ schedule: DAILY });
    const manifest = buildRun(scene, { ...absent, ...spec });
    expect(await run(['apply', '--server-side', '-f', '-'], manifest)).toMatchObject({ code: 0, stderr: '' });
    const { status } = await finishJobsUntil(scene, 'Succeeded');
    expect(status).toMatchObject({ total: 1, succeeded: 1 });
  });
});
