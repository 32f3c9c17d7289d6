/** Clients that use v2 of the kind CronJob on a real API server, with the objects and the permissions of config/overlays/v2. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { GROUP, PLURAL } from '../../api/v1/groupversion.ts';
import type { CronJobV2 } from '../../api/v2/cronjob-types.ts';
import { findOnly, PROJECT } from '../support/manifests.ts';
import { renderAndParse } from './support/installation.ts';
import { V2Installation } from './support/v2-installation.ts';
import { createManifest } from './support/webhook-scene.ts';

const installation = new V2Installation();
const NAME = `${PLURAL}.${GROUP}`;
const PAGE = join(PROJECT, 'docs/cronjob-v2.md');
const CA_PATH = '{.clusters[0].cluster.certificate-authority-data}';
const [V1, V2] = [`${PLURAL}.v1.${GROUP}`, `${PLURAL}.v2.${GROUP}`];

/** A manifest in v1 if the schedule is a text, otherwise in v2. */
function createCronJob(name: string, schedule: unknown, spec: object = {}) {
  const { metadata, apiVersion, ...manifest } = createManifest('default', '');
  const version = typeof schedule === 'string' ? 'v1' : 'v2';
  return {
    ...{ ...manifest, apiVersion: apiVersion.replace('v1', version) },
    metadata: { ...metadata, name },
    spec: { ...manifest.spec, schedule, suspend: true, ...spec },
  };
}

async function get<T>(resource: string, name: string): Promise<T> {
  return JSON.parse(await installation.kubectl('get', resource, name, '--output=json'));
}

const getV1 = (name: string) => get<CronJob>(V1, name);
async function getManagedV2(name: string): Promise<CronJobV2['metadata']> {
  const text = await installation.kubectl('get', V2, name, '--output=json', '--show-managed-fields');
  return JSON.parse(text).metadata;
}

const getV2 = (name: string) => get<CronJobV2>(V2, name);

test.each([
  ['five', '0 5 * * 1-5', { minute: '0', hour: '5', dayOfWeek: '1-5' }],
  ['every', '@every 5m', { expression: '@every 5m' }],
])(
  'an object of v1 is readable in v2, and an apply in v2 changes only the schedule: %s',
  async (name, text, schedule) => {
    await installation.apply(createCronJob(name, text, { startingDeadlineSeconds: 60, jitterSeconds: 7 }));
    const [v1, v2] = [await getV1(name), await getV2(name)];
    expect(v2).toMatchObject({ apiVersion: `${GROUP}/v2`, spec: { ...v1.spec, schedule } });
    const patch = JSON.stringify({ spec: { schedule: null } });
    await expect(installation.kubectl('patch', V2, name, '--type=merge', '-p', patch)).rejects.toThrow('spec.schedule');
    const change = JSON.stringify({
      spec: { schedule: { minute: null, expression: '@daily', hour: null, dayOfWeek: null } },
    });
    await installation.kubectl('patch', V2, name, '--type=merge', '-p', change);
    expect((await getV1(name)).spec).toEqual({ ...v1.spec, schedule: '@daily' });
  },
);

test('an object of v2 is stored in v1, and v2 returns it as it was written, also after an edit in v1', async () => {
  const schedule = { minute: '30', hour: '*' };
  await installation.apply(createCronJob('explicit', schedule), '--server-side');
  expect((await getV1('explicit')).spec.schedule).toBe('30 * * * *');
  expect((await getV2('explicit')).spec.schedule).toEqual(schedule);
  expect((await getV2('explicit')).metadata.annotations).toBeUndefined();
  await installation.kubectl('patch', V1, 'explicit', '--type=merge', '-p', '{"spec":{"schedule":"45 * * * *"}}');
  expect((await getV2('explicit')).spec.schedule).toEqual({ minute: '45' });
  const other = createCronJob('explicit', { expression: '@weekly' });
  await installation.apply(other, '--server-side', '--force-conflicts');
  expect((await getV2('explicit')).spec.schedule).toEqual({ expression: '@weekly' });
  const crd = `{.status.storedVersions} {.spec.versions[?(@.storage==true)].name}`;
  expect(await installation.kubectl('get', 'crd', NAME, `--output=jsonpath=${crd}`)).toBe('["v1"] v1');
});

test('the manager writes the status in v1 without a change of the fields that a user owns in v2', async () => {
  const manifest = createCronJob('owned', { minute: '30', dayOfWeek: '1' }, { jitterSeconds: 5 });
  const apply = (object: object) => installation.apply(object, '--server-side', '--field-manager=user');
  await apply(manifest);
  await eventually(async () => expect((await getV1('owned')).status?.observedGeneration).toBe(1));
  const { managedFields = [], resourceVersion } = await getManagedV2('owned');
  const owners = managedFields.map(({ manager, apiVersion, subresource }) => [manager, apiVersion, subresource]);
  expect(owners).toEqual([
    ['user', `${GROUP}/v2`, undefined],
    ['cronjob-operator', `${GROUP}/v1`, 'status'],
  ]);
  await apply(manifest);
  expect((await getManagedV2('owned')).resourceVersion).toBe(resourceVersion);
  await apply(createCronJob('owned', { minute: '30' }));
  expect((await getV1('owned')).spec).toMatchObject({ schedule: '30 * * * *' });
  expect((await getV1('owned')).spec).not.toHaveProperty('jitterSeconds');
});

test('kubectl prefers v2, and shows the schedule in its column', async () => {
  await installation.apply(createCronJob('column', { minute: '0', hour: '5' }));
  expect(await installation.kubectl('get', 'tcj', 'column')).toMatch(
    /^NAME +SCHEDULE .*\ncolumn +\{"hour":"5","minute":"0"\} +true/,
  );
  expect(await installation.kubectl('explain', 'tcj.spec.schedule.dayOfWeek')).toMatch(/VERSION: +v2/);
});

test('the sample is accepted without a warning, and returned unchanged', async () => {
  const file = join(PROJECT, 'config/samples/v2/batch_v2_cronjob.yaml');
  await installation.kubectl('apply', '--warnings-as-errors', '-f', file);
  const { metadata, ...sample } = parse(readFileSync(file, 'utf8'));
  expect(await getV2(metadata.name)).toMatchObject(sample);
});

test('the webhooks of v1 check v2, complete it, and warn', async () => {
  const { concurrencyPolicy: _, ...defaults } = (await getV1('column')).spec;
  expect((await getV2('column')).spec).toMatchObject({ ...defaults, schedule: { minute: '0', hour: '5' } });
  const february30 = createCronJob('warned', { dayOfMonth: '30', month: '2' }, { suspend: false });
  await expect(installation.apply(february30, '--dry-run=server', '--warnings-as-errors')).rejects.toThrow(
    'Warning: spec.schedule: never fires',
  );
});

describe('v2 is refused with a sentence:', () => {
  test.each([
    [{ minute: '61' }, 'spec.schedule: Invalid value: "61 * * * *": minute must be 0-59, not "61"'],
    [
      { minute: '0 5' },
      'spec.schedule.minute: Invalid value: "0 5": must be one part of a cron schedule without spaces',
    ],
    [{ minute: 0 }, 'spec.schedule.minute: Invalid value: 0: must be of type string'],
    [{ minute: '0', expression: '@daily' }, 'give either expression, or minute, hour, dayOfMonth, month and dayOfWeek'],
    [{ expression: '@dayly' }, 'spec.schedule: Invalid value: "@dayly"'],
    [{ minutes: '0' }, 'unknown field "spec.schedule.minutes"'],
    [5, 'spec.schedule: Invalid value: 5: must be of type object'],
    [undefined, 'spec.schedule'],
  ])('%j', async (schedule, message) => {
    const manifest = createCronJob('refused', schedule);
    expect(await installation.getRefusal(manifest)).toContain(message);
  });
});

test('runs start from an object of v2', async () => {
  await installation.apply(createCronJob('runs', { expression: '@every 1s' }, { suspend: false }));
  await eventually(async () => {
    expect(await installation.kubectl('get', 'jobs', '--output=name')).toContain('job.batch/runs-');
    expect((await getV2('runs')).status?.lastScheduleTime).toBeTruthy();
  });
  await installation.kubectl('patch', 'tcj', 'runs', '--type=merge', '-p', '{"spec":{"suspend":true}}');
});

describe('without a manager', () => {
  test('v1 works and v2 says why it does not, until v2 is removed', async () => {
    installation.manager.signal('SIGTERM');
    expect(await installation.manager.exited).toBe(0);
    const failures = installation.manager.lines
      .filter(({ level }) => level === 'error')
      .map((line) => JSON.stringify(line));
    expect(failures.filter((line) => !line.includes('convert CronJob default/refused from v2 to v1'))).toEqual([]);
    const status = JSON.stringify({ status: { activeCount: 0 } });
    await installation.kubectl('patch', V1, 'five', '--subresource=status', '--type=merge', '-p', status);
    expect((await getV1('five')).status?.activeCount).toBe(0);
    await expect(getV2('five')).rejects.toThrow(/conversion webhook for .*Kind=CronJob failed: .*connection refused/);
    await installation.removeV2();
    await eventually(() => expect(getV2('five')).rejects.toThrow('could not find'));
    await installation.kubectl('api-resources'); // refreshes the cache of kubectl, which contains v2
    await eventually(async () => expect((await get<CronJob>('tcj', 'five')).apiVersion).toBe(`${GROUP}/v1`));
    const crd = '{.status.storedVersions} {.spec.versions[*].name} {.spec.conversion.strategy}';
    expect(await installation.kubectl('get', 'crd', NAME, `--output=jsonpath=${crd}`)).toBe('["v1"] v1 None');
    expect((await get<CronJob>('tcj', 'every')).spec.schedule).toBe('@daily');
    await installation.kubectl('delete', 'tcj', 'every');
  });

  test('server-side apply removes v2 only after the command in docs/cronjob-v2.md', async () => {
    const apply = async (folder: string) => {
      const crd = findOnly(await renderAndParse(folder), 'CustomResourceDefinition', NAME);
      return await installation.apply(crd, '--server-side', '--force-conflicts', '--field-manager=gitops');
    };
    await apply('config/overlays/v2');
    const caBundle = await installation.kubectl('config', 'view', '--raw', `--output=jsonpath=${CA_PATH}`);
    const body = JSON.stringify({ spec: { conversion: { webhook: { clientConfig: { caBundle } } } } });
    await installation.kubectl('patch', 'crd', NAME, '--field-manager=cronjob-operator', '--type=merge', '-p', body);
    await expect(apply('config/default')).rejects.toThrow('spec.conversion.strategy: Required value');
    const [, patch = ''] = /kubectl patch .*--patch='([^']+)'/s.exec(readFileSync(PAGE, 'utf8')) ?? [];
    await installation.kubectl('patch', 'crd', NAME, '--type=json', '-p', patch);
    await apply('config/default');
    const summary = '{.spec.versions[*].name} {.spec.conversion}';
    expect(await installation.kubectl('get', 'crd', NAME, `--output=jsonpath=${summary}`)).toBe(
      'v1 {"strategy":"None"}',
    );
    await apply('config/overlays/v2');
  });

  test('the deletion of the CRD with v2 deletes the CronJobs', async () => {
    expect(await installation.kubectl('get', V1, '--output=name')).toContain('five');
    await installation.kubectl('delete', 'crd', NAME, '--wait');
    await expect(installation.kubectl('get', 'crd', NAME)).rejects.toThrow('NotFound');
  });
});
