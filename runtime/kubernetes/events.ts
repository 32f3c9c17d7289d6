/** API group events.k8s.io/v1: events. The older API group for events is core/v1. */
import type { EventsV1Event } from '@kubernetes/client-node/dist/gen/models/all.js';
import { namespacedResource } from './resource.ts';
import type { StoredNamespacedObject } from './wire.ts';

/** A report about an object, in the API group events.k8s.io/v1. */
export interface Event extends StoredNamespacedObject<EventsV1Event, 'events.k8s.io/v1', 'Event'> {}

/** API group events.k8s.io/v1: Events. The library itself writes Events in core/v1. */
export const events = {
  v1: {
    events: namespacedResource<Event>('events.k8s.io/v1', 'Event'),
  },
} as const;
