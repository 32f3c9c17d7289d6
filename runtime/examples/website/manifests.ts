/** The manifests that install the operator: `controller-runtime generate manifests.ts` writes them to config/. */
import { collectDeclarations, parseFlagValues, toManagerOptions } from 'controller-runtime';
import type { OperatorManifests } from 'controller-runtime/manifests';
import { FLAGS, NAME, registerWebhooks, Website } from './website.ts';

/** The arguments of the manager in the Deployment. */
const ARGS = ['--leader-elect'];

export const manifests: OperatorManifests = {
  kinds: [Website],
  webhooks: collectDeclarations(registerWebhooks),
  /** The rights for lease, certificates and events derive from these options. */
  manager: { name: NAME, ...toManagerOptions(parseFlagValues(FLAGS, ARGS)) },
  deployment: { image: 'website-operator:0.1.0', args: ARGS },
  rules: [
    { group: Website.group, resources: ['websites'], verbs: ['get', 'list', 'watch', 'patch'] }, // patch: the finalizer
    { group: Website.group, resources: ['websites/status', 'websites/finalizers'], verbs: ['update'] },
    { group: '', resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'create', 'patch'] },
    { group: 'apps', resources: ['deployments'], verbs: ['get', 'list', 'watch', 'create', 'patch'] },
  ],
};
