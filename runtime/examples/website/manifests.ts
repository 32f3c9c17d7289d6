/**
 * The manifests that install the operator. `controller-runtime generate manifests.ts` writes the manifests to config/.
 */
import { parseFlagValues, toManagerOptions } from 'controller-runtime';
import type { OperatorManifests } from 'controller-runtime/manifests';
import { setUp } from './controller.ts';
import { FLAGS, NAME, Website } from './website.ts';

/** The arguments of the manager in the Deployment. */
const ARGS = ['--leader-elect'];

export const manifests: OperatorManifests = {
  kinds: [Website],
  /**
   * The generator derives the permissions for the lease, the certificates and the Events from the options of the
   * manager.
   */
  manager: { name: NAME, ...toManagerOptions(parseFlagValues(FLAGS, ARGS)) },
  deployment: { image: 'website-operator:0.1.0', args: ARGS },
  /**
   * The generator derives the permissions for the kinds from the controller, and the webhook configurations from the
   * webhooks.
   */
  setUp,
};
