/** kubectl tcj lint reports an error exactly where kubectl and an API server with our webhooks refuse, over 2,300 manifests. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SystemClock } from 'controller-runtime';
import { eventually } from 'controller-runtime/testing';
import { expect, inject, test } from 'vitest';
import { setupWebhooksWithManager } from '../../controllers/cronjob-webhook.ts';
import { lintText } from '../../kubectl-tcj/plugin/lint/lint-text.ts';
import { connect } from '../support/cluster-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { run } from './support/crd.ts';
import { lintCases } from './support/lint-cases.ts';
import { NAME } from './support/lint-manifest.ts';
import './support/provided.ts';
import { WebhookScene } from './support/webhook-scene.ts';

/** kubectl's output for all files of a folder, in a dry run. */
async function refusals(folder: string, namespace: string): Promise<readonly string[]> {
  const { stderr } = await run(['create', '-n', namespace, '--dry-run=server', '-o', 'name', '-f', folder]);
  return stderr.split('\n');
}

/** Checks of Jobs in Kubernetes itself, which lint leaves to a dry run. */
const OF_JOB = /admission webhook "vcronjob.* is invalid: \[?spec\.jobTemplate[:.]/;

test('an error is exactly a refusal', async () => {
  await using cluster = connect(inject('kubeconfig'));
  const { client } = cluster;
  await using webhooks = await WebhookScene.open((registrar) =>
    setupWebhooksWithManager(registrar, { client, clock: new SystemClock() }),
  );
  const { namespace } = webhooks.scene;
  const folder = temporaryFolder();
  const cases = lintCases().map(({ title, text }, index) => {
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
  await eventually(async () => expect((await refusals(neverFires, namespace)).join()).toContain('minute must be'));

  const said = await refusals(folder, namespace);
  const wrong = cases.flatMap(({ title, file, name, errors }) => {
    const refusal =
      said.find((line) => [`${file}"`, `${file}:`, `"${name}"`].some((sign) => line.includes(sign))) ?? 'taken';
    const isAsTold = (refusal === 'taken') === (errors.length === 0) || OF_JOB.test(refusal);
    return isAsTold ? [] : [{ title, errors, refusal }];
  });
  expect(wrong).toEqual([]);
});
