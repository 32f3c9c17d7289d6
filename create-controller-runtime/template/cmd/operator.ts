/** The parts of the operator. `create-controller-runtime api` adds the parts of a kind before each marker. */
import { type Manager, managerFlags, type WebhookRegistrar } from 'controller-runtime';
import { NAME } from '../api/name.ts';
import { Website } from '../api/v1alpha1/website-types.ts';
import { addWebsiteController } from '../controllers/website-controller.ts';
import { addWebsiteDefaults } from '../webhooks/website-defaults.ts';
import { addWebsiteValidation } from '../webhooks/website-validation.ts';
// +scaffold:imports

/** The flags of the command line. */
export const FLAGS = managerFlags({ name: NAME });

/** The kinds with a CRD in this operator. */
export const KINDS = [
  Website,
  // +scaffold:kinds
];

export function addControllers(manager: Manager): void {
  addWebsiteController(manager);
  // +scaffold:controllers
}

export function addWebhooks(webhooks: WebhookRegistrar): void {
  addWebsiteDefaults(webhooks);
  addWebsiteValidation(webhooks);
  // +scaffold:webhooks
}
