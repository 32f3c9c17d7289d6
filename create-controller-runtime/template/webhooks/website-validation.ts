/** The validating webhook of the kind Website, for rules that the schema cannot express. */
import { type Change, forbidden, type ValidatorOutput, type WebhookRegistrar } from 'controller-runtime';
import { Website } from '../api/v1alpha1/website-types.ts';

/** The API server refuses to delete an object with this label. */
const KEEP_LABEL = 'example.com/keep';

export function addWebsiteValidation(webhooks: WebhookRegistrar): void {
  webhooks.for(Website, { validate: validateWebsite, validateDelete: validateWebsiteDeletion });
}

export function validateWebsite({ object: { spec } }: Change<Website>): ValidatorOutput {
  return { warnings: spec.message === '' ? ['spec.message: the message is empty'] : [] };
}

export function validateWebsiteDeletion({ metadata }: Website): ValidatorOutput {
  if (metadata.labels?.[KEEP_LABEL] === undefined) return [];
  return [forbidden('metadata.labels', `remove the label ${KEEP_LABEL} before you delete the object`)];
}
