/** The kind Website. `npm run manifests` generates its CRD. */
import { conditions, defineKind, type ObjectOf } from 'controller-runtime';
import { z } from 'zod';

export const Website = defineKind({
  group: 'example.com',
  version: 'v1alpha1',
  kind: 'Website',
  plural: 'websites',
  scope: 'Namespaced',
  spec: z.object({
    message: z.string().max(1000).optional().describe('The text in the ConfigMap. Default: the name of the object.'),
  }),
  status: z.object({
    conditions: conditions('Ready: the ConfigMap contains the message.'),
  }),
  printerColumns: [
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});
export type Website = ObjectOf<typeof Website>;
