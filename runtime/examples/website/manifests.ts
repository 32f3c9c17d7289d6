/** What the operator is installed with: `controller-runtime generate manifests.ts` writes it into config/. */
import { declarationsOf, flagValues, managerOptionsOf } from 'controller-runtime';
import type { OperatorManifests } from 'controller-runtime/manifests';
import { FLAGS, NAME, registerWebhooks, Website } from './website.ts';

/** What its Deployment starts it with. */
const ARGS = ['--leader-elect'];

export const manifests: OperatorManifests = {
  kinds: [Website],
  webhooks: declarationsOf(registerWebhooks),
  /** What it needs for lease, certificates and events follows from that. */
  manager: { name: NAME, ...managerOptionsOf(flagValues(FLAGS, ARGS)) },
  deployment: { image: 'website-operator:0.1.0', args: ARGS },
  rules: [
    { group: Website.group, resources: ['websites'], verbs: ['get', 'list', 'watch', 'patch'] }, // patch: the finalizer
    { group: Website.group, resources: ['websites/status', 'websites/finalizers'], verbs: ['update'] },
    { group: '', resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'create', 'patch'] },
    { group: 'apps', resources: ['deployments'], verbs: ['get', 'list', 'watch', 'create', 'patch'] },
  ],
};
