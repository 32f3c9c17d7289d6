/** The manifests that install the operator. `npm run manifests` writes them to config/. */
import { collectDeclarations, parseFlagValues, toManagerOptions } from 'controller-runtime';
import { type OperatorManifests, readKubernetesSchemas } from 'controller-runtime/manifests';
import { NAME } from '../api/name.ts';
import manifest from '../package.json' with { type: 'json' };
import { addControllers, addWebhooks, FLAGS, KINDS } from './operator.ts';

const hasWebhooks = collectDeclarations(addWebhooks).length > 0;
/** The arguments of the manager in its Deployment. With a Secret, the manager creates the certificates of its webhooks. */
const ARGS = [
  '--leader-elect',
  '--metrics-bind-address=:8443',
  ...(hasWebhooks ? [`--webhook-cert-secret=${NAME}-webhook-certificate`] : []),
];

export const manifests: OperatorManifests = {
  kinds: KINDS,
  kubernetesSchemas: readKubernetesSchemas('kubernetes-schemas.json').schemas,
  // The permissions for the lease and the certificates derive from these options.
  manager: { name: NAME, ...toManagerOptions(parseFlagValues(FLAGS, ARGS)) },
  deployment: { image: process.env['OPERATOR_IMAGE'] ?? `${NAME}:${manifest.version}`, args: ARGS },
  // The permissions for the kinds derive from the controllers.
  setUp: (manager) => {
    addControllers(manager);
    addWebhooks(manager.webhooks);
  },
};
