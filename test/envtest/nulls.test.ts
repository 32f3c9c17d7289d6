/** Null is absent: in every field of a spec, for every verb, with and without webhooks, beside batch/v1 on the same API server. */
import { SystemClock } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { defaultCronJob } from '../../api/v1/cronjob-defaulting.ts';
import { setupWebhooksWithManager } from '../../controllers/cronjob-webhook.ts';
import { cronJobs } from '../../controllers/resources.ts';
import { findNullNotes } from '../../kubectl-tcj/plugin/lint/null-notes.ts';
import { connect } from '../support/cluster-client.ts';
import { createNamespace } from '../support/namespace.ts';
import { run } from './support/crd.ts';
import { batchCronJobs, CronJobEndpoint } from './support/cron-job-endpoint.ts';
import {
  countNulls,
  createNullDocuments,
  createRealisticDocument,
  createSpec,
  type NullDocument,
  SPEC,
  stripEmptyMaps,
  stripNullFields,
  takesNull,
} from './support/null-documents.ts';
import { RawApi } from './support/raw-api.ts';
import { WebhookScene } from './support/webhook-scene.ts';

/** Values of lists and maps at a path, and their purpose. */
const ELEMENTS = [
  { title: 'args', spec: createSpec({}, { args: ['a', null] }) },
  { title: 'groups', spec: createSpec({ securityContext: { supplementalGroups: [1, null] } }) },
  { title: 'labels', spec: createSpec({}, {}, { labels: { a: null } }) },
  { title: 'annotations', spec: createSpec({}, {}, { annotations: { a: null } }) },
  { title: 'finalizers', spec: createSpec({}, {}, { finalizers: [null] }) },
  { title: 'a node selector', spec: createSpec({ nodeSelector: { a: null } }) },
  { title: 'limits', spec: createSpec({}, { resources: { limits: { cpu: null } } }) },
  { title: 'tolerations', spec: createSpec({ tolerations: [null] }) },
  { title: 'containers', spec: createSpec({ initContainers: [null] }) },
  { title: 'variables', spec: createSpec({}, { env: [null] }) },
  { title: 'variables, where a value is null', spec: createSpec({}, { env: [{ name: 'A', value: null }] }) },
  { title: 'variables, where the name is null', spec: createSpec({}, { env: [{ name: null, value: 'a' }] }) },
  {
    title: 'files of a volume',
    spec: createSpec({ volumes: [{ name: 'v', configMap: { name: 'a', items: [null] } }] }),
  },
  { title: 'the path of a volume', spec: createSpec({ volumes: [{ name: 'v', emptyDir: null }] }) },
];

const api = new RawApi();
afterAll(() => api[Symbol.dispose]());

/** Expects that every verb reads the document as if it had no nulls. @returns the number of stored nulls. */
async function expectSameAsAbsent(
  endpoint: CronJobEndpoint,
  { title, spec, withoutNulls }: NullDocument,
): Promise<number> {
  const created = await endpoint.create(withoutNulls);
  const responses = await endpoint.tryAll(created, spec);
  for (const [verb, { body }] of Object.entries(responses)) {
    expect(body.message, `${verb}: ${title}`).toBeUndefined();
    expect(stripNullFields(body.spec), `${verb}: ${title}`).toEqual(created.spec);
  }
  return countNulls(Object.values(responses).map(({ body }) => body.spec));
}

describe('without webhooks', () => {
  let endpoint: CronJobEndpoint;
  beforeAll(async () => {
    endpoint = new CronJobEndpoint(api, await createNamespace(inject('apiServer'), 'nulls'));
  });

  test.each([...createNullDocuments(takesNull), ...createNullDocuments()])(
    '$title may be null with every verb, or server-side apply refuses what lint reports',
    async ({ spec, withoutNulls }) => {
      const created = await endpoint.create(withoutNulls);
      const notedFields = findNullNotes({ type: 'object', properties: { spec: SPEC } }, { spec }).map(
        ({ field }) => field,
      );
      for (const [verb, { body }] of Object.entries(await endpoint.tryAll(created, spec))) {
        if (verb.startsWith('server-side apply') && notedFields.length > 0) {
          const fields = body.details?.causes?.map(({ field }) => field).filter((field) => field.startsWith('spec.'));
          expect([...new Set(fields)].toSorted(), verb).toEqual(notedFields.toSorted());
        } else expect(stripNullFields(body.spec), verb).toEqual(created.spec);
      }
    },
  );

  test('a repeated server-side apply changes nothing', async () => {
    const [{ spec } = expect.fail()] = createNullDocuments(takesNull);
    const first = await endpoint.apply('again', spec);
    expect((await endpoint.apply('again', spec)).body.metadata).toEqual(first.body.metadata);
  });
});

/** Resolves when the API server calls the webhook that removes nulls. */
async function expectWebhookCalls(endpoint: CronJobEndpoint): Promise<void> {
  await eventually(async () => {
    const { body } = await endpoint.apply('asked', createSpec({ volumes: null }), { query: 'dryRun=All' });
    expect(body.message).toBeUndefined();
  });
}

test('with the defaulting webhook, every field may be null, and no null is stored', async () => {
  // Samples of every field do not make a valid Job.
  await using webhook = await WebhookScene.open((webhooks) => {
    webhooks.for(cronJobs, { name: 'defaults.example.com', default: defaultCronJob });
  });
  const endpoint = new CronJobEndpoint(api, webhook.scene.namespace);
  await expectWebhookCalls(endpoint);
  const stored = await Promise.all(createNullDocuments().map((document) => expectSameAsAbsent(endpoint, document)));
  expect(stored.filter((nulls) => nulls > 0)).toEqual([]);
});

describe('with the webhooks of the manager, as in batch/v1', () => {
  const cluster = connect(inject('kubeconfig'));
  afterAll(() => cluster[Symbol.asyncDispose]());

  interface ClusterPlaces extends AsyncDisposable {
    readonly operatorPlace: CronJobEndpoint;
    readonly batchPlace: CronJobEndpoint;
  }

  async function openPlaces(): Promise<ClusterPlaces> {
    const { client } = cluster;
    const clock = new SystemClock();
    const webhook = await WebhookScene.open((webhooks) => setupWebhooksWithManager(webhooks, { client, clock }));
    const operatorPlace = new CronJobEndpoint(api, webhook.scene.namespace);
    await expectWebhookCalls(operatorPlace);
    const batchPlace = new CronJobEndpoint(api, webhook.scene.namespace, batchCronJobs);
    return { operatorPlace, batchPlace, [Symbol.asyncDispose]: () => webhook[Symbol.asyncDispose]() };
  }

  test('every unused field may be null', async () => {
    await using places = await openPlaces();
    const { operatorPlace, batchPlace } = places;
    const document = createRealisticDocument();
    expect(countNulls(document.spec)).toBeGreaterThan(350);
    expect(await expectSameAsAbsent(batchPlace, document)).toBe(0);
    expect(await expectSameAsAbsent(operatorPlace, document)).toBe(0);
  });

  test('a null element has the same effect, or is refused', async () => {
    await using places = await openPlaces();
    const { operatorPlace, batchPlace } = places;
    const [operatorObject, batchObject] = [
      await operatorPlace.create(createSpec({})),
      await batchPlace.create(createSpec({})),
    ];
    for (const { title, spec } of ELEMENTS) {
      const [operatorResponses, batchResponses] = [
        await operatorPlace.tryAll(operatorObject, spec),
        await batchPlace.tryAll(batchObject, spec),
      ];
      for (const verb of Object.keys(operatorResponses)) {
        const [ownBody, theirBody] = [operatorResponses[verb]?.body, batchResponses[verb]?.body];
        const message = `${title}, ${verb}: ${ownBody?.message}; batch/v1: ${theirBody?.message}`;
        expect(ownBody?.message === undefined, message).toBe(theirBody?.message === undefined);
        // The API server sets more defaults in a batch/v1 CronJob, and does not show an empty list or map.
        if (ownBody?.spec) expect(theirBody?.spec, message).toMatchObject(stripEmptyMaps(ownBody.spec));
      }
    }
  });

  test('GitOps tools see no drift', async () => {
    await using places = await openPlaces();
    const { operatorPlace } = places;
    const { spec } = createRealisticDocument();
    const empty = [
      { labels: null, annotations: null },
      { labels: {}, annotations: { a: null }, finalizers: [], ownerReferences: [] },
    ];
    for (const metadata of empty) {
      const written = await operatorPlace.apply('drift', spec, { metadata });
      expect(written.body.message).toBeUndefined();
      const writtenAgain = await operatorPlace.apply('drift', spec, { metadata });
      expect(writtenAgain.body.metadata).toEqual(written.body.metadata);
    }
    const first = await operatorPlace.apply('drift', spec);
    const diff = await run(
      ['diff', '--server-side', '--field-manager=tester', '-f', '-'],
      operatorPlace.manifest('drift', spec),
    );
    expect(diff).toMatchObject({ code: 0, stdout: '' });
    const later = await operatorPlace.apply('drift', stripNullFields(spec));
    expect(later.body.spec).toEqual(first.body.spec);
    expect(later.body.metadata.generation).toBe(1);
  });
});
