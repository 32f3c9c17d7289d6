/** Defaulters and validators with a real API server. */
import {
  core,
  findApiError,
  forbidden,
  invalid,
  type ObjectSchema,
  resourcePath,
  SystemClock,
  type ValidationResult,
} from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { setupWebhooksWithManager } from '../../controllers/cronjob-webhook.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { connect, connectAs } from '../support/cluster-client.ts';
import './support/provided.ts';
import { run } from './support/crd.ts';
import { createManifest, WebhookScene } from './support/webhook-scene.ts';

const { configMaps } = core.v1;
const REFUSED_SCHEDULE = '7 7 7 7 *';
const WARNED_SCHEDULE = '8 8 8 8 *';
const VALID_SCHEDULE = '9 9 9 9 *';
const REFUSAL_MESSAGE = `Invalid value: "${REFUSED_SCHEDULE}": never on the seventh`;
const REFUSAL = { reason: 'FieldValueInvalid', field: 'spec.schedule', message: REFUSAL_MESSAGE };
const MASTERS = 'system:masters';
const NAMESPACE_CONTROLLER = 'system:serviceaccount:kube-system:namespace-controller';
const FAILED = 'failed calling webhook "vcronjob-v1.kb.io"';

type Validate = (cronJob: CronJob) => Promise<ValidationResult>;

/** Refuses one schedule and warns about another. */
const validate: Validate = async ({ spec: { schedule } }) => ({
  errors: schedule === REFUSED_SCHEDULE ? [REFUSAL] : [],
  warnings:
    schedule === WARNED_SCHEDULE ? ['spec.schedule: beware of "the eighth"', `one\nline ${'x'.repeat(400)}`] : [],
});

function openWithValidator(work: Validate = validate): Promise<WebhookScene> {
  return WebhookScene.open((webhooks) =>
    webhooks.for(cronJobs, {
      name: 'cronjob-v1.kb.io',
      validate: ({ object }) => work(object),
    }),
  );
}

describe('the API server', () => {
  test('returns a refusal with the invalid fields, as for a built-in kind, and kubectl prints them', async () => {
    await using webhooks = await openWithValidator();
    expect(await webhooks.getRefusal(REFUSED_SCHEDULE)).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message:
        'admission webhook "vcronjob-v1.kb.io" denied the request: ' +
        `CronJob.batch.tutorial.kubebuilder.io "hello" is invalid: spec.schedule: ${REFUSAL_MESSAGE}`,
      causes: [REFUSAL],
    });
    const creation = await webhooks.apply(REFUSED_SCHEDULE);
    expect(creation.code).toBe(1);
    expect(creation.stderr).toContain(`spec.schedule: ${REFUSAL_MESSAGE}`);
    expect(await webhooks.apply(VALID_SCHEDULE)).toEqual({ code: 0, stderr: '' });
    const change = await webhooks.apply(REFUSED_SCHEDULE);
    expect(change.code).toBe(1);
    expect(change.stderr).toContain(`spec.schedule: ${REFUSAL_MESSAGE}`);
  });

  test('returns warnings, and kubectl prints them', async () => {
    await using webhooks = await openWithValidator();
    await webhooks.getRefusal(REFUSED_SCHEDULE);
    const { code, stderr } = await webhooks.apply(WARNED_SCHEDULE);
    expect(code).toBe(0);
    expect(stderr.trimEnd().split('\n')).toEqual([
      'Warning: spec.schedule: beware of "the eighth"',
      `Warning: one line ${'x'.repeat(246)}…`,
    ]);
  });

  test('returns the warning of the manager about an edit that adds runs, and kubectl prints it', async () => {
    await using cluster = connect(inject('kubeconfig'));
    await using webhooks = await WebhookScene.open((registrar) =>
      setupWebhooksWithManager(registrar, { client: cluster.client, clock: new SystemClock() }),
    );
    const { namespace } = webhooks.scene;
    await webhooks.scene.createCronJob({ schedule: '0 0 29 2 *' });
    const patch = [
      'patch',
      'tcj',
      'hello',
      '--type',
      'merge',
      '-p',
      JSON.stringify({ spec: { schedule: '* * * * *' } }),
    ];
    await eventually(async () => {
      const { stderr } = await run([...patch, '-n', namespace, '--dry-run=server']);
      expect(stderr).toMatch(/^Warning: this edit adds the run of \S+Z \(and at least 299 more within 24 hours\)$/m);
    });
  });

  test('stores the values of the defaulter, also under keys with slashes and tildes and at the end of lists', async () => {
    const annotations = { 'example.com/filled-in': 'yes' };
    await using webhooks = await WebhookScene.open((registrar) =>
      registrar.for(cronJobs, {
        default: ({ metadata, ...rest }) => ({
          ...rest,
          metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations }, finalizers: ['a.b/c'] },
        }),
      }),
    );
    await eventually(async () =>
      expect((await webhooks.create(VALID_SCHEDULE)).metadata).toMatchObject({ annotations }),
    );
    const { metadata, spec } = await webhooks.create(VALID_SCHEDULE, { dryRun: false });
    expect(metadata).toMatchObject({ annotations, finalizers: ['a.b/c'] });
    expect(spec.schedule).toBe(VALID_SCHEDULE);
  });

  test('returns the message of a review that is too large', async () => {
    const annotations = { 'example.com/seen': 'yes' };
    await using webhooks = await WebhookScene.open((registrar) =>
      registrar.for(configMaps, {
        timeoutSeconds: 30, // a busy machine needs long for 15 MB
        default: ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, annotations } }),
      }),
    );
    const { client, namespace } = webhooks.scene;
    // Reviews escape each of these characters with six bytes: 15 MB for a request of 2.5 MB.
    const create = (bytes: number) =>
      client.create(
        configMaps,
        { metadata: { namespace, name: 'a' }, data: { text: '<'.repeat(bytes) } },
        { dryRun: true },
      );
    await eventually(async () => expect(await create(100)).toMatchObject({ metadata: { annotations } }));
    for (let each = 0; each < 5; each++)
      await expect(create(2_500_000)).rejects.toThrow('the review is larger than 7340032 bytes');
    await expect(create(100)).resolves.toMatchObject({ metadata: { annotations } });
  });

  test('refuses the object with the error when the webhook fails', async () => {
    await using webhooks = await openWithValidator(async (cronJob) => {
      if (cronJob.spec.schedule === VALID_SCHEDULE) throw new Error('the moon is full');
      return validate(cronJob);
    });
    await webhooks.getRefusal(REFUSED_SCHEDULE);
    await expect(webhooks.create(VALID_SCHEDULE)).rejects.toMatchObject({
      code: 500,
      message: expect.stringMatching(new RegExp(`${FAILED}.*review of .* failed: the moon is full`)),
    });
  });

  test('calls webhooks before it checks the schema: it refuses an invalid field, and the defaulter does not change it', async () => {
    const want = invalid('spec.schedule', 5, 'must be text');
    const schema: ObjectSchema = {
      faults: (object) => (typeof (object as CronJob).spec.schedule === 'string' ? [] : [want]),
    };
    const validated: unknown[] = [];
    await using webhooks = await WebhookScene.open((registrar) =>
      registrar.for(
        { ...cronJobs, schema, specInput: { schedule: '' } },
        {
          default: (draft) => {
            validated.push(draft.spec.schedule.trim());
            return draft;
          },
        },
      ),
    );
    const { client, namespace } = webhooks.scene;
    const body = { ...createManifest(namespace, ''), spec: { schedule: 5 } };
    expect(await getRefusal(() => client.create(cronJobs, body as unknown as CronJob))).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message:
        'admission webhook "mcronjob-v1.batch.tutorial.kubebuilder.io" denied the request: ' +
        `CronJob.batch.tutorial.kubebuilder.io "hello" is invalid: ${want.field}: ${want.message}`,
      causes: [want],
    });
    expect(validated).toEqual([]);
  });
});

/** The API server's refusal, once it calls the webhook. */
function getRefusal(request: () => Promise<unknown>) {
  return eventually(async () => {
    const error = findApiError(await request().catch((reason: unknown) => reason));
    if (!error?.message.startsWith('admission webhook')) throw new Error('the API server does not ask yet');
    return error;
  });
}

describe('a validator of deletes', () => {
  const inUse = forbidden('metadata.name', 'it is in use');
  const cluster = () => connect(inject('kubeconfig'));
  const path = (namespace: string) => resourcePath(cronJobs, namespace);

  /** Does the work of the namespace controller, which does not run here. */
  async function deleteNamespace(namespace: string): Promise<void> {
    await using admin = cluster();
    await using controller = connectAs(inject('kubeconfig'), NAMESPACE_CONTROLLER, MASTERS);
    const namespacePath = `/api/v1/namespaces/${namespace}`;
    await admin.transport.request({ method: 'DELETE', path: namespacePath });
    await controller.transport.request({ method: 'DELETE', path: path(namespace) });
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: { finalizers: [] } };
    await admin.transport.request({ method: 'PUT', path: `${namespacePath}/finalize`, body });
    await expect(admin.transport.request({ method: 'GET', path: namespacePath })).rejects.toMatchObject({ code: 404 });
  }

  test('refuses to delete an object and a collection, but not their namespace', async () => {
    const validatedNames: string[] = [];
    await using webhooks = await WebhookScene.open((registrar) =>
      registrar.for(cronJobs, {
        validateDelete: (old, { operation, user }) => {
          validatedNames.push(`${operation} ${old.metadata.name} ${user.username}`);
          return [inUse];
        },
      }),
    );
    const { client } = webhooks.scene;
    const { namespace } = webhooks.scene;
    await using admin = cluster();
    const key = { namespace, name: 'hello' };
    const remove = () => client.delete(cronJobs, key, {});
    const refusal = {
      code: 422,
      message: expect.stringContaining('"hello" is invalid: metadata.name: Forbidden: it is in use'),
      causes: [inUse],
    };
    expect(
      await getRefusal(async () => {
        await webhooks.create(VALID_SCHEDULE, { dryRun: false }).catch(() => {});
        await remove();
      }),
    ).toMatchObject(refusal);
    await expect(admin.transport.request({ method: 'DELETE', path: path(namespace) })).rejects.toMatchObject({
      code: 422,
    });
    expect(await client.get(cronJobs, key)).toBeDefined();
    expect(new Set(validatedNames)).toEqual(new Set([expect.stringMatching(/^DELETE hello ./)]));
    const askedBefore = validatedNames.length;
    await deleteNamespace(namespace);
    expect(validatedNames).toHaveLength(askedBefore);
  });
});
