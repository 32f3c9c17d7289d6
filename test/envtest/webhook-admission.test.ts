/** What a real API server makes of defaulters and validators: before it has looked at the schema, and when it deletes. */
import {
  type AdmissionContext,
  apiErrorOf,
  declarationsOf,
  forbidden,
  InvalidError,
  invalid,
  type ObjectSchema,
  pathOf,
  required,
  withDefaults,
} from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { describe, expect, inject, test } from 'vitest';
import type { CronJob } from '../../api/v1/cronjob-types.ts';
import { API_VERSION, KIND } from '../../api/v1/groupversion.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { type ClusterClient, connect, impersonating } from '../support/cluster-client.ts';
import { createNamespace } from '../support/namespace.ts';
import { unusedPort } from './support/job-admission.ts';
import './support/provided.ts';
import { installWebhooks, selfSignedCertificate, uninstallWebhooks } from 'controller-runtime/testing';
import { cronJobManifest, WebhookScene } from './support/webhook-scene.ts';

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

  test('but has done so since before there was the rule can be labelled, gets no defaults, and cannot get worse', async () => {
    let isRule = false;
    const faults: ObjectSchema['faults'] = (object, old) => {
      const [now, before] = [object, old].map((each) => (each as CronJob | undefined)?.spec.schedule);
      return !isRule || now === FINE || now === before ? [] : [invalid('spec.schedule', now, 'never on the seventh')];
    };
    const seen: string[] = [];
    await using webhooks = await WebhookScene.open((registrar) =>
      registrar.for(
        { ...kind, schema: { faults } },
        {
          default: (draft) => {
            seen.push(draft.spec.schedule);
            return draft;
          },
        },
      ),
    );
    const { client, namespace } = webhooks.scene;
    const key = { namespace, name: 'hello' };
    await webhooks.create('7 7 7 7 *', { dryRun: false });
    isRule = true;
    const merge = (body: object, dryRun = false) => client.patch(cronJobs, key, { kind: 'merge', body }, { dryRun });
    await refusalOf(() => merge({ spec: { schedule: '7 7 7 * *' } }, true));
    seen.length = 0;
    await merge({ metadata: { labels: { team: 'a' } } });
    expect(seen).toEqual([]);
    await merge({ spec: { schedule: FINE } });
    // The API server asks again when somebody else has written the object meanwhile.
    expect(new Set(seen)).toEqual(new Set([FINE]));
  });

  test('of a kind without a schema is refused by a defaulter that cannot work with it', async () => {
    await using webhooks = await WebhookScene.open((registrar) =>
      registrar.for(cronJobs, {
        default: (draft) => {
          if (draft.spec === undefined) throw new InvalidError(required('spec', 'give a schedule'));
          return draft;
        },
      }),
    );
    const { scene } = webhooks;
    expect(await refusalOf(() => create(scene, scene.namespace))).toMatchObject({
      code: 422,
      causes: [required('spec', 'give a schedule')],
    });
  });
});

test('a defaulter may wait, and knows who asks for what and when', async () => {
  const contexts: AdmissionContext[] = [];
  await using webhooks = await WebhookScene.open((registrar) =>
    registrar.for(cronJobs, {
      default: async (draft, context) => {
        contexts.push(context);
        await new Promise((resolve) => setImmediate(resolve));
        return withDefaults(draft, { spec: { timeZone: context.user.username } });
      },
    }),
  );
  const { namespace, clock } = webhooks.scene;
  await using jane = impersonating(inject('kubeconfig'), 'Europe/Berlin', MASTERS);
  const { spec } = cronJobManifest(namespace, FINE);
  await eventually(async () => {
    const created = await jane.client.create(
      cronJobs,
      { ...cronJobManifest(namespace, FINE), spec } as unknown as CronJob,
      { dryRun: true },
    );
    expect(created.spec.timeZone).toBe('Europe/Berlin');
  });
  expect(contexts.at(-1)).toMatchObject({
    ...{ operation: 'CREATE', subResource: undefined, namespace, isDryRun: true, isCallerVerified: false },
    ...{ now: clock.now(), fieldManager: expect.any(String) },
    user: { username: 'Europe/Berlin', groups: expect.arrayContaining([MASTERS]) },
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

  test('that does not answer keeps objects, but neither their namespace nor what is being deleted', async () => {
    const namespace = await createNamespace(inject('apiServer'), 'unanswered');
    await using admin = cluster();
    const { client } = admin;
    const declarations = declarationsOf((registrar) => registrar.for(cronJobs, { validateDelete: () => [inUse] }));
    const { spec } = cronJobManifest(namespace, FINE);
    const caBundle = selfSignedCertificate('nobody').cert;
    const { metadata: key } = await create(admin, namespace, spec);
    await client.patch(cronJobs, key, { kind: 'merge', body: { metadata: { finalizers: ['example.com/last'] } } });
    await client.delete(cronJobs, key);
    const installation = { namespace, port: await unusedPort(), caBundle, declarations };
    await installWebhooks(client, installation);
    const another = { ...cronJobManifest(namespace, FINE), metadata: { name: 'another', namespace } };
    await client.create(cronJobs, another as unknown as CronJob);
    const remove = () => client.delete(cronJobs, another.metadata, { dryRun: true });
    await eventually(() =>
      expect(remove()).rejects.toMatchObject({ message: expect.stringContaining('failed calling webhook') }),
    );
    await client.delete(cronJobs, key);
    await client.patch(cronJobs, key, { kind: 'merge', body: { metadata: { finalizers: null } } });
    expect(await client.get(cronJobs, key)).toBeUndefined();
    await deleteNamespace(namespace);
    expect(await client.list(cronJobs, { namespace })).toEqual([]);
    await uninstallWebhooks(client, installation);
  });
});
