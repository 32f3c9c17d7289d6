/**
 * `make test-e2e`: deploys and uses the operator on the best cluster that this machine can run. `E2E_SITE` chooses another one, and
 * `E2E_USE_EXISTING=1` the cluster of `KUBECONFIG`. Arguments go to vitest. `--print-site` only prints the choice.
 */
import { isSiteName, SITES, type SiteName } from '../test/e2e/support/facts.ts';
import { whyNot } from '../test/real-node/why-not.ts';
import { run } from './control-plane/run.ts';
import { runVitest } from './run-vitest.ts';

interface Choice {
  readonly site: SiteName;
  /** Description for a sentence. */
  readonly reason: string;
}

async function choose({ E2E_SITE: wanted, E2E_USE_EXISTING: useExisting }: NodeJS.ProcessEnv): Promise<Choice> {
  if (wanted) {
    if (!isSiteName(wanted)) throw new Error(`E2E_SITE is one of ${SITES.join(', ')}, and not "${wanted}"`);
    return { site: wanted, reason: 'E2E_SITE says so' };
  }
  if (useExisting === '1') return { site: 'existing', reason: 'E2E_USE_EXISTING says so' };
  const whyNoNode = await whyNot();
  if (whyNoNode === undefined) return { site: 'node', reason: 'this machine can run a kubelet' };
  const whyNoKind = await whyNotKind();
  if (whyNoKind === undefined) return { site: 'kind', reason: `no kubelet of our own (${whyNoNode}), but Docker` };
  return { site: 'kwok', reason: `no kubelet (${whyNoNode}), and no kind (${whyNoKind}): Pods are simulated` };
}

async function whyNotKind(): Promise<string | undefined> {
  try {
    await run('docker', ['info']);
    await run('kind', ['version']);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.split('\n').at(-1) : String(error);
  }
}

/** Settings that the user must provide for that site; throws when one is missing. */
function mustHave({ site }: Choice, { KUBECONFIG, E2E_IMAGE }: NodeJS.ProcessEnv): void {
  if (site !== 'existing') return;
  if (!KUBECONFIG) throw new Error('Set KUBECONFIG to the path of an administrator’s kubeconfig of your cluster.');
  if (!E2E_IMAGE) {
    throw new Error('Set E2E_IMAGE to an image that your cluster can pull: make docker-build docker-push IMG=<image>');
  }
}

if (process.argv.includes('--print-site')) console.log((await choose(process.env)).site);
else {
  await runVitest('e2e', async () => {
    const choice = await choose(process.env);
    mustHave(choice, process.env);
    console.log(`Cluster: ${choice.site}. Why: ${choice.reason}.`);
    return { E2E_SITE: choice.site };
  });
}
