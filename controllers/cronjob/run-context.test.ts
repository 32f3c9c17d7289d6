import { describe, expect, test } from 'vitest';
import type { NewJob } from '../../api/kubernetes.ts';
import {
  GENERATION_ANNOTATION,
  INSTANTIATE_ANNOTATION,
  SCHEDULED_AT_ANNOTATION,
  SCHEDULED_TIMESTAMP_ANNOTATION,
  START_TIMEOUT_ANNOTATION,
} from '../../api/v1/groupversion.ts';
import { CoreWorld } from '../../test/support/core-world.ts';
import { at, cronJob } from '../../test/support/cron-jobs.ts';
import { buildManualJob, buildSlotJob } from './new-job.ts';

type PodTemplate = NewJob['spec']['template'];

const SLOT = new Date(at('01:00:00'));
const container = (name: string, env?: readonly object[]) => ({ name, image: 'busybox', ...(env && { env }) });
const variable = (name: string, value: string) => ({ name, value });

/** Another CRD may have allowed a template that ours refuses. */
function withTemplate(template: unknown, spec: object = {}) {
  return cronJob({ ...spec, jobTemplate: { spec: { template: template as PodTemplate } } });
}

function inEnv(template: unknown): PodTemplate {
  return buildSlotJob(withTemplate(template, { runContext: 'Env' }), SLOT).spec.template;
}

const OF_SLOT = [
  variable('CRONJOB_NAME', 'hello'),
  variable('CRONJOB_RUN', 'hello-1767229200'),
  variable('CRONJOB_TRIGGER', 'Schedule'),
  variable('CRONJOB_SCHEDULED_TIME', at('01:00:00')),
];

describe('runContext: Env', () => {
  test('puts the variables of the run first in every container and init container', () => {
    const mine = variable('MINE', '$(CRONJOB_RUN)');
    const spec = { initContainers: [container('init')], containers: [container('a', [mine]), container('b', [])] };
    expect(inEnv({ spec }).spec).toEqual({
      initContainers: [container('init', OF_SLOT)],
      containers: [container('a', [...OF_SLOT, mine]), container('b', OF_SLOT)],
    });
  });

  test('keeps variables that the template has', () => {
    const mine = [variable('CRONJOB_RUN', 'mine'), { name: 'CRONJOB_NAME', valueFrom: {} }];
    expect(inEnv({ spec: { containers: [container('a', mine)] } }).spec?.containers).toEqual([
      container('a', [...OF_SLOT.slice(2), ...mine]),
    ]);
  });

  test('a manual run has its trigger, and no scheduled time', () => {
    const given = withTemplate({ spec: { containers: [container('a')] } }, { runContext: 'Env' });
    const job = buildManualJob(given, 'now', new Date(at('00:30:00')));
    expect(job.spec.template.spec?.containers[0]?.env).toEqual([
      variable('CRONJOB_NAME', 'hello'),
      variable('CRONJOB_RUN', job.metadata.name),
      variable('CRONJOB_TRIGGER', 'Manual'),
      variable('CRONJOB_LAST_SUCCESSFUL_TIME', at('00:30:00')),
    ]);
  });

  test.each([{ runContext: 'None' }, {}])('is off by %j: containers are those of the template', (spec) => {
    const template = { spec: { containers: [container('a')] } };
    expect(buildSlotJob(withTemplate(template, spec), SLOT).spec.template.spec).toBe(template.spec);
  });

  test.each([{ containers: 7, initContainers: 'x' }, { containers: [7, { name: 'a', env: 'x' }] }, { containers: [] }])(
    'keeps a template that is not a Pod: %j',
    (spec) => {
      expect(inEnv({ spec }).spec).toEqual(spec);
    },
  );
});

describe('when a run last succeeded', () => {
  function lastSuccessIn(world: CoreWorld, jobName: string): string | undefined {
    const job = world.jobs.find(({ metadata }) => metadata.name === jobName);
    const [first] = job?.spec.template.spec?.containers ?? [];
    return first?.env?.find(({ name }) => name === 'CRONJOB_LAST_SUCCESSFUL_TIME')?.value;
  }

  test('includes the run that this one waited for, whose result no status has yet', () => {
    const world = new CoreWorld(cronJob({ runContext: 'Env', concurrencyPolicy: 'Forbid' }));
    world.reconcile(at('01:00:00'));
    world.reconcile(at('02:00:00'));
    world.finish(at('02:10:00'));
    world.reconcile(at('02:10:01'));
    expect(lastSuccessIn(world, 'hello-1767232800')).toBe(at('02:10:00'));
  });
});

describe('the Pods of a run', () => {
  const annotationsOf = (job: NewJob) => job.spec.template.metadata?.annotations;
  const slotAnnotations = {
    [SCHEDULED_TIMESTAMP_ANNOTATION]: '2026-01-01T02:00:00+01:00',
    [SCHEDULED_AT_ANNOTATION]: at('01:00:00'),
  };

  test('have the slot annotations of the Job, for the downward API', () => {
    const given = withTemplate({ metadata: { labels: { a: 'b' } } }, { timeZone: 'Europe/Berlin' });
    const job = buildSlotJob(given, SLOT);
    expect(job.metadata.annotations).toMatchObject(slotAnnotations);
    expect(job.spec.template.metadata).toEqual({ labels: { a: 'b' }, annotations: slotAnnotations });
  });

  test('have none of the annotations that only the controller sets and that their template was copied with', () => {
    const copied = {
      ...slotAnnotations,
      [SCHEDULED_AT_ANNOTATION]: at('00:30:00'),
      [INSTANTIATE_ANNOTATION]: 'manual',
      [GENERATION_ANNOTATION]: '7',
      [START_TIMEOUT_ANNOTATION]: '60',
    };
    const given = withTemplate(
      { metadata: { annotations: { ...copied, mine: 'kept' } } },
      { timeZone: 'Europe/Berlin' },
    );
    expect(annotationsOf(buildSlotJob(given, SLOT))).toEqual({ ...slotAnnotations, mine: 'kept' });
    expect(annotationsOf(buildManualJob(given, 'now'))).toEqual({ mine: 'kept' });
  });

  test('of a manual run are those of the template', () => {
    const template = { metadata: { annotations: { mine: 'kept' } }, spec: { containers: [] } };
    expect(buildManualJob(withTemplate(template), 'now').spec.template).toEqual(template);
    expect(buildManualJob(withTemplate({}), 'now').spec.template).toEqual({});
  });

  test.each([7, { metadata: 'x' }, { metadata: { annotations: 'x' } }, { spec: 7 }])(
    'are left to the API server, which refuses them, when their template is %j',
    (template) => {
      const made = inEnv(template);
      expect(made).toEqual(
        'spec' in Object(template) ? { spec: 7, metadata: { annotations: expect.anything() } } : template,
      );
    },
  );
});

test('a Job names the generation of its CronJob, whatever its template was copied with', () => {
  const copied = { [GENERATION_ANNOTATION]: '7', [START_TIMEOUT_ANNOTATION]: '60' };
  const spec = { jobTemplate: { metadata: { annotations: copied }, spec: { template: {} } } };
  const ofGeneration = (generation: number) => cronJob(spec, undefined, { generation });
  for (const job of [buildSlotJob(ofGeneration(3), SLOT), buildManualJob(ofGeneration(3), 'now')]) {
    expect(job.metadata.annotations).toMatchObject({ [GENERATION_ANNOTATION]: '3' });
    expect(job.metadata.annotations).not.toHaveProperty([START_TIMEOUT_ANNOTATION]);
    expect(job.spec.template.metadata?.annotations ?? {}).not.toHaveProperty([GENERATION_ANNOTATION]);
  }
  const { generation: _, ...metadata } = cronJob().metadata;
  expect(buildSlotJob({ ...cronJob(), metadata }, SLOT).metadata.annotations).not.toHaveProperty([
    GENERATION_ANNOTATION,
  ]);
});
