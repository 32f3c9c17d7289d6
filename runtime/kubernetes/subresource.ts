/** Subresources, with the types of their bodies. */
import type { KubernetesObject } from './object.ts';

/**
 * A subresource, such as `scale`. The API server accepts an `Input` and returns an `Output`. The client sets
 * `apiVersion`, `kind`, and the name and namespace of the object in an `Input`.
 */
export interface Subresource<Input extends object, Output = Input> {
  /** Last segment of the URL, such as `scale`. */
  readonly name: string;
  /** API version of the body, such as `autoscaling/v1`. */
  readonly apiVersion: string;
  /** Kind of the body, such as `Scale`. */
  readonly kind: string;
  /** Never set. The compiler infers `Input` and `Output` from this field. */
  readonly bodyTypes?: { readonly input: Input; readonly output: Output };
}

/** Describes any subresource: `defineSubresource<Binding, unknown>('binding', 'v1', 'Binding')`. */
export function defineSubresource<Input extends object, Output = Input>(
  name: string,
  apiVersion: string,
  kind: string,
): Subresource<Input, Output> {
  return { name, apiVersion, kind };
}

/** The number of replicas of an object. The resource version in the metadata is the version of the object. */
export interface Scale extends KubernetesObject {
  /** The desired number of Pods, absent if the number is 0. */
  readonly spec: { readonly replicas?: number };
  /** The current number of Pods, and the label selector of the Pods. */
  readonly status: { readonly replicas: number; readonly selector?: string };
}

/**
 * An update of a {@link Scale}. If the object has changed since the given resource version, the API server responds
 * with 409.
 */
export interface ScaleUpdate {
  /** The resource version of the {@link Scale} that you read. Default: the update replaces any version. */
  readonly metadata?: { readonly resourceVersion?: string };
  /** The desired number of Pods. */
  readonly spec: { readonly replicas: number };
}

/** Options of an eviction. */
export interface EvictionRequest {
  /** How to delete the Pod. */
  readonly deleteOptions?: {
    /** Grace period of the deletion. Default: the grace period in the spec of the Pod. */
    readonly gracePeriodSeconds?: number;
    /** The API server rejects the eviction with 409 if the Pod has a different UID or resource version. */
    readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  };
}

/** A request for a token of a ServiceAccount. */
export interface TokenRequest {
  /** Properties of the token. */
  readonly spec: {
    /** Audiences of the token. Default: the audiences of the API server. */
    readonly audiences?: readonly string[];
    /** Lifetime of the token, at least 600 seconds. Default 3600. The API server may choose a different lifetime. */
    readonly expirationSeconds?: number;
    /** A Pod, a Secret or a Node. The token is valid only while this object exists. */
    readonly boundObjectRef?: {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly name?: string;
      readonly uid?: string;
    };
  };
}

/** The response to a {@link TokenRequest}. */
export interface IssuedToken {
  /** The spec of the request, with the defaults of the API server. */
  readonly spec: TokenRequest['spec'];
  /** The token, and its expiration as a time in RFC 3339. */
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

/** The subresources of built-in kinds that operators use. For other subresources, use {@link defineSubresource}. */
export const subresources = {
  /**
   * Create an eviction to delete a Pod. If a PodDisruptionBudget does not allow the deletion, the API server responds
   * with 429.
   */
  eviction: defineSubresource<EvictionRequest, unknown>('eviction', 'policy/v1', 'Eviction'),
  /** The number of replicas of a Deployment, a StatefulSet, a ReplicaSet or a custom resource. */
  scale: defineSubresource<ScaleUpdate, Scale>('scale', 'autoscaling/v1', 'Scale'),
  /** Create a TokenRequest to get a token of a ServiceAccount. */
  token: defineSubresource<TokenRequest, IssuedToken>('token', 'authentication.k8s.io/v1', 'TokenRequest'),
} as const;
