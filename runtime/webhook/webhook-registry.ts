import type { KubernetesObject } from '../kubernetes/object.ts';
import type { Kind } from '../schema/kind.ts';
import type { AdmissionWebhooks, AdmittedResource, WebhookRegistrar, WebhookSettings } from './admission.ts';
import { createDefaultingReview, createValidatingReview, type ReviewFunction } from './review.ts';
import {
  type AdmittedKind,
  getDeletionConditions,
  getWebhookPath,
  type WebhookDeclaration,
} from './webhook-declaration.ts';

/** A registrar that knows the kinds that this process converts. */
export interface ConvertingRegistrar extends WebhookRegistrar {
  /** Kinds that this process converts. Default: none. */
  readonly convertedKinds?: readonly Kind[];
}

/** The webhooks of all kinds, by their paths. */
export class WebhookRegistry implements WebhookRegistrar {
  readonly #webhooks = new Map<string, RegisteredWebhook>();
  readonly #convertedKinds: Kind[] = [];

  for<T extends KubernetesObject, SpecInput = unknown>(
    resource: AdmittedResource<T, SpecInput>,
    webhooks: AdmissionWebhooks<NoInfer<T>, NoInfer<SpecInput>>,
  ): readonly WebhookDeclaration[] {
    const newWebhooks = createWebhooks(resource, webhooks);
    for (const { path } of newWebhooks)
      if (this.#webhooks.has(path)) throw new Error(`a webhook is already registered at ${path}`);
    for (const webhook of newWebhooks) this.#webhooks.set(webhook.path, webhook);
    return newWebhooks.map(({ declaration }) => declaration);
  }

  convert(kind: Kind): void {
    if (Object.keys(kind.versions).length === 0)
      throw new Error(`conversion of ${kind.kind}: the kind has only the version ${kind.version}`);
    const isRegistered = this.#convertedKinds.some((other) => other.group === kind.group && other.kind === kind.kind);
    if (isRegistered) throw new Error(`conversion of ${kind.kind}: the kind is already registered`);
    this.#convertedKinds.push(kind);
  }

  get convertedKinds(): readonly Kind[] {
    return this.#convertedKinds;
  }

  get(path: string): RegisteredWebhook | undefined {
    return this.#webhooks.get(path);
  }

  get webhooks(): readonly RegisteredWebhook[] {
    return [...this.#webhooks.values()];
  }
}

export interface RegisteredWebhook {
  readonly path: string;
  readonly declaration: WebhookDeclaration;
  readonly review: ReviewFunction;
}

/**
 * Returns the mutating webhook, followed by the validating webhook. Throws an error if the kind has neither a defaulter
 * nor a validator.
 */
function createWebhooks<T extends KubernetesObject, SpecInput>(
  resource: AdmittedResource<T, SpecInput>,
  webhooks: AdmissionWebhooks<T, SpecInput>,
): readonly RegisteredWebhook[] {
  const defaultedOperations = webhooks.default === undefined ? [] : (['CREATE', 'UPDATE'] as const);
  const validatedOperations = listValidatedOperations(webhooks);
  if (defaultedOperations.length + validatedOperations.length === 0)
    throw new Error(`webhooks of ${resource.kind}: no handlers`);
  const mutatingDeclaration = createDeclaration('mutating', resource, defaultedOperations, webhooks);
  const validatingDeclaration = createDeclaration('validating', resource, validatedOperations, webhooks);
  return [
    {
      declaration: mutatingDeclaration,
      path: getWebhookPath(mutatingDeclaration),
      review: createDefaultingReview(resource, webhooks),
    },
    {
      declaration: validatingDeclaration,
      path: getWebhookPath(validatingDeclaration),
      review: createValidatingReview(resource, webhooks),
    },
  ].filter(({ declaration }) => declaration.operations.length > 0);
}

/** Returns the declarations of the webhooks that `register` registers, for the manifest generator. */
export function collectDeclarations(register: (webhooks: WebhookRegistrar) => void): readonly WebhookDeclaration[] {
  const registry = new WebhookRegistry();
  register(registry);
  return registry.webhooks.map(({ declaration }) => declaration);
}

function listValidatedOperations<T extends KubernetesObject, SpecInput>(
  webhooks: AdmissionWebhooks<T, SpecInput>,
): WebhookDeclaration['operations'] {
  const { validate, validateCreate = validate, validateUpdate = validate, validateDelete } = webhooks;
  const handlers = { CREATE: validateCreate, UPDATE: validateUpdate, DELETE: validateDelete };
  return (['CREATE', 'UPDATE', 'DELETE'] as const).filter((operation) => handlers[operation] !== undefined);
}

function createDeclaration(
  kind: WebhookDeclaration['kind'],
  resource: AdmittedKind,
  operations: WebhookDeclaration['operations'],
  settings: WebhookSettings,
): WebhookDeclaration {
  const {
    name = getDefaultName(resource),
    failurePolicy = 'Fail',
    sideEffects = 'None',
    timeoutSeconds = 10,
    namespaceSelector,
    objectSelector,
    matchPolicy,
    reinvocationPolicy,
  } = settings;
  if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < 1 || timeoutSeconds > 30) {
    const problem = `timeoutSeconds must be a whole number from 1 to 30, not ${timeoutSeconds}`;
    throw new Error(`webhooks of ${resource.kind}: ${problem}`);
  }
  const matchConditions = [...getDeletionConditions(operations), ...(settings.matchConditions ?? [])];
  return {
    ...{ kind, name: `${kind.slice(0, 1)}${name}`, resource, operations },
    ...{ failurePolicy, sideEffects, timeoutSeconds, matchConditions },
    ...(namespaceSelector && { namespaceSelector }),
    ...(objectSelector && { objectSelector }),
    ...(matchPolicy && { matchPolicy }),
    ...(reinvocationPolicy && kind === 'mutating' && { reinvocationPolicy }),
  };
}

/**
 * Returns a name such as `website-v1.example.com`. The API server requires names with at least three parts, so a group
 * without a dot gets the suffix `.k8s.io`.
 */
function getDefaultName({ kind, version, group, parent }: AdmittedKind): string {
  const domain = group.includes('.') ? group : `${group || 'core'}.k8s.io`;
  const name = parent === undefined ? kind : `${parent.kind}-${kind}`;
  return `${name.toLowerCase()}-${version}.${domain}`;
}
