/** What the operator is installed with: `controller-runtime generate manifests.ts` writes it into config/. */
import { callerRules, certificateSecretRules, declarationsOf } from 'controller-runtime';
import type { OperatorManifests } from 'controller-runtime/manifests';
import { NAME, registerWebhooks, Website } from './website.ts';

export const manifests: OperatorManifests = {
  kinds: [Website],
  webhooks: declarationsOf(registerWebhooks),
  roles: [
    {
      name: NAME,
      rules: [
        { group: Website.group, resources: ['websites'], verbs: ['get', 'list', 'watch', 'patch'] }, // patch: the finalizer
        { group: Website.group, resources: ['websites/status', 'websites/finalizers'], verbs: ['update'] },
        { group: '', resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'create', 'patch'] },
        { group: 'apps', resources: ['deployments'], verbs: ['get', 'list', 'watch', 'create', 'patch'] },
        { group: '', resources: ['events'], verbs: ['create', 'patch'] },
        ...callerRules([
          { kind: 'MutatingWebhookConfiguration', name: `${NAME}-mutating-webhook-configuration` },
          { kind: 'ValidatingWebhookConfiguration', name: `${NAME}-validating-webhook-configuration` },
        ]),
      ],
    },
    {
      name: NAME,
      kind: 'Role',
      rules: [
        ...certificateSecretRules(`${NAME}-webhook-certificate`),
        { group: 'coordination.k8s.io', resources: ['leases'], verbs: ['get', 'create', 'update'] },
      ],
    },
  ],
};
