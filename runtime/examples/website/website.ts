/** The kind Website: its schema, its types, and its webhooks. */
import {
  conditions,
  defineKind,
  int32,
  invalid,
  managerFlags,
  type ObjectOf,
  type WebhookRegistrar,
  withDefaults,
} from 'controller-runtime';
import { z } from 'zod';

export const NAME = 'website-operator';

/** By default, webhooks are on, and the manager creates their certificates. */
export const FLAGS = managerFlags({ name: NAME, certificates: 'own' });

export const Website = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  shortNames: ['site'],
  description: 'Serves one page with a web server.',
  spec: z.object({
    image: z.string().min(1).max(253).describe('Image of a web server that serves /usr/share/nginx/html on port 80.'),
    replicas: int32().min(0).max(10).default(1).describe('Number of Pods that serve the page.'),
    title: z.string().max(100).optional().describe('Title on the page. Default: the name of the Website.'),
  }),
  status: z.object({
    readyReplicas: int32().min(0).optional().describe('Number of ready Pods.'),
    conditions: conditions('Ready is True when spec.replicas Pods serve the page.'),
  }),
  printerColumns: [
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Image', type: 'string', jsonPath: '.spec.image' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});
export type Website = ObjectOf<typeof Website>;

/**
 * Adds rules that a schema cannot express: a default that depends on another field, a rule with a reason, and a
 * warning.
 */
export function registerWebhooks(webhooks: WebhookRegistrar): void {
  webhooks.for(Website, {
    default: (draft) => withDefaults(draft, { spec: { title: draft.metadata.name } }),
    validate: ({ object: { spec } }) => ({
      errors: spec.image.endsWith(':latest')
        ? [invalid('spec.image', spec.image, 'use a version: latest changes over time')]
        : [],
      warnings: spec.replicas === 0 ? ['spec.replicas: no Pod serves the page'] : [],
    }),
  });
}
