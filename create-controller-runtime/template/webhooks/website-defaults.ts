/**
 * The defaulting webhook of the kind Website, for defaults that depend on other fields. Constant defaults belong in the
 * schema.
 */
import { type Draft, type WebhookRegistrar, withDefaults } from 'controller-runtime';
import { Website } from '../api/v1alpha1/website-types.ts';

export function addWebsiteDefaults(webhooks: WebhookRegistrar): void {
  webhooks.for(Website, { default: defaultWebsite });
}

export function defaultWebsite(draft: Draft<typeof Website>): Draft<typeof Website> {
  return withDefaults(draft, { spec: { message: draft.metadata.name } });
}
