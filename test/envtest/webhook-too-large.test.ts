/** A review that is larger than a webhook takes: the person who sent the object learns why it is refused. */
import { core, declarationsOf, type WebhookRegistrar } from 'controller-runtime';
import { eventually, startTestEnvironment, startTestManager, writeCertificate } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { freePort } from '../../hack/control-plane/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import './support/provided.ts';

const { configMaps } = core.v1;

test('the API server hands on the sentence with which a review is refused that is too large', async () => {
  await using environment = await startTestEnvironment({ kubeconfig: inject('kubeconfig') });
  const { client } = environment;
  const [namespace, port, folder] = [await environment.createNamespace('large'), await freePort(), temporaryFolder()];
  const { cert: caBundle } = writeCertificate(folder);
  const annotations = { 'example.com/seen': 'yes' };
  const register = (webhooks: WebhookRegistrar) =>
    webhooks.for(configMaps, {
      default: ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, annotations } }),
    });
  await using _ = await startTestManager({
    cluster: environment,
    setUp: ({ webhooks }) => void register(webhooks),
    webhooks: { certificates: { folder }, port, shutdownDelayMs: 0 },
  });
  await environment.installWebhooks({ declarations: declarationsOf(register), namespace, port, caBundle });
  // Reviews escape each of these with six bytes: 15 MB of a request of 2.5 MB.
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
