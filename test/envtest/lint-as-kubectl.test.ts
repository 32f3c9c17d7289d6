/** kubectl tcj lint reports an error exactly where kubectl and an API server with our webhooks refuse, over 2,300 manifests. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SystemClock } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { setupWebhooksWithManager } from '../../controllers/cronjob-webhook.ts';
import { lintText } from '../../kubectl-tcj/plugin/lint/lint-text.ts';
import { connect } from '../support/cluster-client.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { run } from './support/crd.ts';
import { createLintCases } from './support/lint-cases.ts';
import { NAME } from './support/lint-manifest.ts';
import './support/provided.ts';
import { WebhookScene } from './support/webhook-scene.ts';

/** kubectl's output for all files of a folder, in a dry run. */
async function applyAndListRefusals(folder: string, namespace: string): Promise<readonly string[]> {
  const { stderr } = await run(['create', '-n', namespace, '--dry-run=server', '-o', 'name', '-f', folder]);
  return stderr.split('\n');
}

/** Checks of Jobs in Kubernetes itself, which lint leaves to a dry run. */
const JOB_REFUSAL = /admission webhook "vcronjob.* is invalid: \[?spec\.jobTemplate[:.]/;

test('lint reports an error exactly where the API server refuses', async () => {
  await using cluster = connect(inject('kubeconfig'));
  const { client } = cluster;
  await using webhooks = await WebhookScene.open((registrar) =>
    setupWebhooksWithManager(registrar, { client, clock: new SystemClock() }),
  );
  const { namespace } = webhooks.scene;
  const folder = createTemporaryFolder();
  const cases = createLintCases().map(({ title, text }, index) => {
    const file = join(folder, `${index}.yaml`);
    const name = `name-${index}`;
    const named = text.replaceAll(NAME, name);
    writeFileSync(file, named);
    const { problems } = lintText({ name: file, text: named }, new Date());
    return {
      title,
      file,
      name,
      errors: problems.filter(({ level }) => level === 'error').map(({ message }) => message),
    };
  });
  const { file: neverFires } = cases.find(({ title }) => title === 'schedule: "60 * * * *"') ?? expect.unreachable();
  await eventually(async () =>
    expect((await applyAndListRefusals(neverFires, namespace)).join()).toContain('minute must be'),
  );

  const lintOutput = await applyAndListRefusals(folder, namespace);
  const differences = cases.flatMap(({ title, file, name, errors }) => {
    const refusal =
      lintOutput.find((line) => [`${file}"`, `${file}:`, `"${name}"`].some((sign) => line.includes(sign))) ?? 'taken';
    const isSameMessage = (refusal === 'taken') === (errors.length === 0) || JOB_REFUSAL.test(refusal);
    return isSameMessage ? [] : [{ title, errors, refusal }];
  });
  expect(differences).toEqual([]);
});
