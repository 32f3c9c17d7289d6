/** What a real API server makes of defaulters and validators: before it has looked at the schema, and when it deletes. */
import { apiErrorOf, forbidden, invalid, type ObjectSchema, pathOf, required } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND } from '../../api/v1/groupversion.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { type ClusterClient, connect, impersonating } from '../support/cluster-client.ts';
import './support/provided.ts';
import { WebhookScene } from './support/webhook-scene.ts';

const FINE = '9 9 9 9 *';
const MASTERS = 'system:masters';
const NAMESPACE_CONTROLLER = 'system:serviceaccount:kube-system:namespace-controller';

/** Creates a CronJob, or what somebody takes for one. */
function create({ client }: Pick<ClusterClient, 'client'>, namespace: string, spec?: unknown): Promise<CronJob> {
  const body = { apiVersion: API_VERSION, kind: KIND, metadata: { name: 'hello', namespace }, spec };
  return client.create(cronJobs, body as unknown as CronJob);
}

/** How the API server refuses, once it asks the webhook. */
function refusalOf(request: () => Promise<unknown>) {
  return eventually(async () => {
    const error = apiErrorOf(await request().catch((reason: unknown) => reason));
    if (!error?.message.startsWith('admission webhook')) throw new Error('the API server does not ask yet');
    return error;
  });
}

describe('an object that breaks the schema, of which the webhook is asked first', () => {
  const schema: ObjectSchema = {
    faults: (object) => {
      const { schedule } = (object as { spec?: { schedule?: unknown } }).spec ?? {};
      if (schedule === undefined) return [required('spec.schedule', 'give one')];
      return typeof schedule === 'string' ? [] : [invalid('spec.schedule', schedule, 'must be text')];
    },
  };
  const kind = { ...cronJobs, schema, specInput: { schedule: '' } };

  test.each([
    { name: 'without a spec', spec: undefined, want: required('spec.schedule', 'give one') },
    { name: 'with a number for text', spec: { schedule: 5 }, want: invalid('spec.schedule', 5, 'must be text') },
  ])('$name is refused with its field, and the defaulter never sees it', async ({ spec, want }) => {
    const seen: unknown[] = [];
    await using webhooks = await WebhookScene.open((registrar) =>
      registrar.for(kind, {
        default: (draft) => {
          seen.push(draft.spec.schedule.trim());
          return draft;
        },
      }),
    );
    const { scene } = webhooks;
    expect(await refusalOf(() => create(scene, scene.namespace, spec))).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: `admission webhook "mcronjob-v1.batch.tutorial.kubebuilder.io" denied the request: ${[
        'CronJob.batch.tutorial.kubebuilder.io "hello" is invalid',
        want.field,
        want.message,
      ].join(': ')}`,
      causes: [want],
    });
    expect(seen).toEqual([]);
  });
});

describe('a validator of deletes', () => {
  const inUse = forbidden('metadata.name', 'it is in use');
  const cluster = () => connect(inject('kubeconfig'));
  const path = (namespace: string) => pathOf(cronJobs, namespace);

  /** What the namespace controller does, which is not there. */
  async function deleteNamespace(namespace: string): Promise<void> {
    await using admin = cluster();
    await using controller = impersonating(inject('kubeconfig'), NAMESPACE_CONTROLLER, MASTERS);
    const namespacePath = `/api/v1/namespaces/${namespace}`;
    await admin.transport.request({ method: 'DELETE', path: namespacePath });
    await controller.transport.request({ method: 'DELETE', path: path(namespace) });
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: { finalizers: [] } };
    await admin.transport.request({ method: 'PUT', path: `${namespacePath}/finalize`, body });
    await expect(admin.transport.request({ method: 'GET', path: namespacePath })).rejects.toMatchObject({ code: 404 });
  }

  test('keeps an object with its reason, alone and in a collection, and lets its namespace go', async () => {
    const asked: string[] = [];
    await using webhooks = await WebhookScene.open((registrar) =>
      registrar.for(cronJobs, {
        validateDelete: (old, { operation, user }) => {
          asked.push(`${operation} ${old.metadata.name} ${user.username}`);
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
      await refusalOf(async () => {
        await webhooks.create(FINE, { dryRun: false }).catch(() => {});
        await remove();
      }),
    ).toMatchObject(refusal);
    await expect(admin.transport.request({ method: 'DELETE', path: path(namespace) })).rejects.toMatchObject({
      code: 422,
    });
    expect(await client.get(cronJobs, key)).toBeDefined();
    expect(new Set(asked)).toEqual(new Set([expect.stringMatching(/^DELETE hello ./)]));
    const askedBefore = asked.length;
    await deleteNamespace(namespace);
    expect(asked).toHaveLength(askedBefore);
  });
});
