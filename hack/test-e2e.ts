/**
 * `make test-e2e`: tests the operator in the most realistic cluster that this machine can run. `E2E_SITE` selects the kind of cluster, and
 * `E2E_USE_EXISTING=1` selects the cluster of `KUBECONFIG`. `--print-site` only prints the selection. All other arguments are passed to
 * vitest.
 */
import { isSiteName, SITES, type SiteName } from '../test/e2e/support/facts.ts';
import { findReasonAgainst } from '../test/real-node/reason-against.ts';
import { run } from './control-plane/run.ts';
import { runVitest } from './run-vitest.ts';

interface SiteChoice {
  readonly site: SiteName;
  /** The reason for the choice, as a part of a sentence. */
  readonly reason: string;
}

async function chooseSite({ E2E_SITE: site, E2E_USE_EXISTING: useExisting }: NodeJS.ProcessEnv): Promise<SiteChoice> {
  if (site) {
    if (!isSiteName(site)) throw new Error(`E2E_SITE="${site}" is not valid: must be one of ${SITES.join(', ')}`);
    return { site, reason: 'E2E_SITE is set' };
  }
  if (useExisting === '1') return { site: 'existing', reason: 'E2E_USE_EXISTING=1 is set' };
  const nodeProblem = await findReasonAgainst();
  if (nodeProblem === undefined) return { site: 'node', reason: 'this machine can run a kubelet' };
  const kindProblem = await findKindProblem();
  if (kindProblem === undefined)
    return { site: 'kind', reason: `this machine cannot run a kubelet (${nodeProblem}), but has Docker and kind` };
  return {
    site: 'kwok',
    reason: `this machine can run neither a kubelet (${nodeProblem}) nor kind (${kindProblem}), so kwok simulates the Pods`,
  };
}

async function findKindProblem(): Promise<string | undefined> {
  try {
    await run('docker', ['info']);
    await run('kind', ['version']);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.split('\n').at(-1) : String(error);
  }
}

/** Throws if a required environment variable is missing. */
function requireSettings({ site }: SiteChoice, { KUBECONFIG, E2E_IMAGE }: NodeJS.ProcessEnv): void {
  if (site !== 'existing') return;
  if (!KUBECONFIG) throw new Error('Set KUBECONFIG to the path of an administrator’s kubeconfig of your cluster.');
  if (!E2E_IMAGE) {
    throw new Error('Set E2E_IMAGE to an image that your cluster can pull: make docker-build docker-push IMG=<image>');
  }
}

if (process.argv.includes('--print-site')) console.log((await chooseSite(process.env)).site);
else {
  await runVitest('e2e', async () => {
    const choice = await chooseSite(process.env);
    requireSettings(choice, process.env);
    console.log(`Cluster: ${choice.site}. Reason: ${choice.reason}.`);
    return { E2E_SITE: choice.site };
  });
}
