/** What the webhooks of CronJobRuns refuse and add, on a real API server. */
import { SystemClock, type WebhookRegistrar } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { CronJobRun } from '../../api/v1/cronjobrun-types.ts';
import { CREATED_BY_ANNOTATION } from '../../api/v1/groupversion.ts';
import { setupCronJobRunWebhooksWithManager } from '../../controllers/cronjobrun-webhook.ts';
import { cronJobRuns } from '../../controllers/resources.ts';
import { type ClusterClient, connect, connectAs } from '../support/cluster-client.ts';
import type { Scene } from '../support/scene.ts';
import { createTemporaryFolderForFile } from '../support/temporary-folder.ts';
import { run as runKubectl } from './support/crd.ts';
import {
  backfillDays,
  buildRun,
  createRun,
  DAILY,
  findRefusal,
  finishJobsUntil,
  getRun,
  waitForState,
} from './support/requested-runs.ts';
import { WebhookScene } from './support/webhook-scene.ts';

const USER = 'jane@example.com';
const OTHER_USER = 'joe@example.com';
const clock = new SystemClock();
const folder = createTemporaryFolderForFile();
const cluster = connect(inject('kubeconfig'));
const [user, otherUser] = [USER, OTHER_USER].map((name) => connectAs(inject('kubeconfig'), name, 'system:masters')) as [
  ClusterClient,
  ClusterClient,
];

let webhooks: WebhookScene;
let scene: Scene;

beforeAll(async () => {
  const { client } = cluster;
  const register = (registrar: WebhookRegistrar) =>
    setupCronJobRunWebhooksWithManager(registrar, { client, apiReader: client, clock });
  webhooks = await WebhookScene.open(register, folder);
  ({ scene } = webhooks);
  // The API server starts to call the webhooks after a delay.
  await eventually(async () => {
    const { metadata } = await client.create(cronJobRuns, buildRun(scene, { manual: {} }), { dryRun: true });
    expect(metadata.annotations).toHaveProperty([CREATED_BY_ANNOTATION]);
  });
  await scene.createCronJob({ schedule: DAILY });
  await scene.createCronJob({ schedule: DAILY, runOverrides: 'Args' }, 'args');
  await scene.createCronJob({ schedule: DAILY, runOverrides: 'ArgsAndEnv' }, 'env');
  await scene.createCronJob({ schedule: 'tomorrow' }, 'invalid');
});
afterAll(() => Promise.all([webhooks, cluster, user, otherUser].map((each) => each[Symbol.asyncDispose]())));

const apply = (spec: object, name: string, ...flags: readonly string[]) =>
  runKubectl(['apply', '-f', '-', ...flags], buildRun(scene, spec, { name }));

describe('the user who created a CronJobRun', () => {
  const createdBy = ({ metadata }: CronJobRun) => metadata.annotations?.[CREATED_BY_ANNOTATION];
  const forged = { [CREATED_BY_ANNOTATION]: 'system:admin', other: 'kept' };

  test('the creator is in an annotation, and cannot be forged', async () => {
    const metadata = { name: 'forged', annotations: forged };
    const created = await user.client.create(cronJobRuns, buildRun(scene, { manual: {} }, metadata));
    expect(created.metadata.annotations).toEqual({ ...forged, [CREATED_BY_ANNOTATION]: USER });
  });

  test('cannot be changed or removed, by any user', async () => {
    const { metadata } = await user.client.create(cronJobRuns, buildRun(scene, { manual: {} }, { name: 'changed' }));
    for (const { client } of [user, otherUser]) {
      for (const annotations of [forged, { [CREATED_BY_ANNOTATION]: null }, null]) {
        const body = { metadata: { annotations } };
        expect(createdBy(await client.patch(cronJobRuns, metadata, { kind: 'merge', body }))).toBe(USER);
      }
    }
  });

  test('stays when another user suspends the CronJobRun', async () => {
    const { metadata } = await user.client.create(cronJobRuns, buildRun(scene, { manual: {} }, { name: 'suspended' }));
    const suspended = { kind: 'merge', body: { spec: { suspend: true } } } as const;
    const changed = await otherUser.client.patch(cronJobRuns, metadata, suspended);
    expect([createdBy(changed), changed.spec.suspend]).toEqual([USER, true]);
  });
});

describe('refuses', () => {
  const override = (fields: object, name = 'hello') => ({
    manual: {},
    overrides: { containers: [{ name, ...fields }] },
  });
  const ARGS = { args: ['a'] };
  const ENV = { env: [{ name: 'A', value: 'a' }] };

  test.each<{ what: string; cronJobName: string; spec: object; message: string }>([
    {
      what: 'arguments that the CronJob does not allow',
      cronJobName: 'hello',
      spec: override(ARGS),
      message: 'spec.overrides: the CronJob allows no other arguments; set its spec.runOverrides to Args',
    },
    {
      what: 'a deadline that the CronJob does not allow',
      cronJobName: 'hello',
      spec: { manual: {}, overrides: { activeDeadlineSeconds: 1_000_000 } },
      message: 'spec.overrides: the CronJob allows no other deadline; set its spec.runOverrides to Args',
    },
    {
      what: 'variables that the CronJob does not allow',
      cronJobName: 'args',
      spec: override(ENV),
      message: 'spec.overrides: the CronJob allows no environment variables; set its spec.runOverrides to ArgsAndEnv',
    },
    {
      what: 'another container',
      cronJobName: 'args',
      spec: override(ARGS, 'other'),
      message: 'spec.overrides: the CronJob has no container other; it has hello',
    },
    {
      what: 'overrides that make the Job invalid',
      cronJobName: 'env',
      spec: override({ env: [{ name: 'A=B', value: 'a' }] }),
      message: 'spec.overrides: spec.jobTemplate.spec.template.spec.containers[0].env[0].name: Invalid value: "A=B"',
    },
    {
      what: 'a backfill beyond its limit',
      cronJobName: 'hello',
      spec: backfillDays(101),
      message: 'spec.backfill: the range contains more than 100 scheduled times',
    },
    {
      what: 'a backfill without a slot',
      cronJobName: 'hello',
      spec: { backfill: { startTime: '2026-01-01T01:00:00Z', endTime: '2026-01-01T02:00:00Z' } },
      message: 'spec.backfill: the CronJob has no scheduled times in this range',
    },
    {
      what: 'a scheduled time in the future',
      cronJobName: 'hello',
      spec: { scheduledTime: '2999-01-01T00:00:00Z' },
      message: 'spec.scheduledTime: the scheduled time is later than the creation of the CronJobRun',
    },
    {
      what: 'a backfill of a CronJob with an invalid schedule',
      cronJobName: 'invalid',
      spec: backfillDays(2),
      message: 'spec.cronJobName: the CronJob is invalid: spec.schedule: "tomorrow": must have 5 fields',
    },
    {
      what: 'a name that no CronJob can have',
      cronJobName: '..',
      spec: { manual: {} },
      message: 'spec.cronJobName: Invalid value',
    },
    {
      what: 'two requests',
      cronJobName: 'hello',
      spec: { ...backfillDays(1), manual: {} },
      message: 'give exactly one of: manual, scheduledTime, backfill',
    },
  ])('$what', async ({ cronJobName, spec, message }) => {
    const { client } = user;
    const refusal = await findRefusal(
      client.create(cronJobRuns, buildRun(scene, { cronJobName, ...spec }, { name: 'refused' })),
    );
    expect(refusal).toContain(message);
    expect(await client.get(cronJobRuns, { namespace: scene.namespace, name: 'refused' })).toBeUndefined();
  });

  test('a change of the spec, also by an owner of the CronJob', async () => {
    const { metadata } = await createRun(scene, { manual: {} }, 'immutable');
    const body = { spec: { cronJobName: 'args' } };
    expect(await findRefusal(user.client.patch(cronJobRuns, metadata, { kind: 'merge', body }))).toContain(
      'only suspend can be changed; delete the CronJobRun and create another one',
    );
  });
});

describe('accepts', () => {
  test('a CronJobRun of a CronJob that does not exist, with a warning, and it starts when the CronJob is created', async () => {
    await scene.startManager();
    const { code, stderr } = await apply({ cronJobName: 'later', manual: {} }, 'early');
    expect([code, stderr]).toEqual([
      0,
      'Warning: spec.cronJobName: there is no CronJob later; runs start if it is created within an hour\n',
    ]);
    await waitForState(scene, 'CronJobNotFound', 'early');
    await scene.createCronJob({ schedule: DAILY }, 'later');
    await finishJobsUntil(scene, 'Succeeded', 'early');
  });

  test.each<{ name: string; spec: object }>([
    { name: 'null-manual', spec: { manual: {}, scheduledTime: null, backfill: null, overrides: null } },
    {
      name: 'null-overrides',
      spec: {
        manual: {},
        overrides: { containers: [{ name: 'hello', args: null, env: null }], activeDeadlineSeconds: null },
      },
    },
    { name: 'null-slot', spec: { manual: null, scheduledTime: '2026-01-01T00:00:00Z', backfill: null } },
    {
      name: 'null-backfill',
      spec: { manual: null, scheduledTime: null, backfill: { ...backfillDays(1).backfill, order: null } },
    },
  ])('nulls in a server-side apply, and stores none of them: $name', async ({ name, spec }) => {
    const absent = { suspend: null, ttlSecondsAfterFinished: null, concurrencyPolicy: null };
    const applied = await apply({ ...absent, ...spec }, name, '--server-side');
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    const again = await apply({ ...absent, ...spec }, name, '--server-side');
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect((await getRun(scene, name)).metadata.generation).toBe(1);
  });
});
