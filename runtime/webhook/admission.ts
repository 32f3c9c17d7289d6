/** Interfaces for the admission webhooks of a kind: a defaulter, and validators for creates, updates and deletes. */
import type { FieldError } from '../kubernetes/field-error.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { getGroup, type InputResource, type Resource } from '../kubernetes/resource.ts';
import type { Subresource } from '../kubernetes/subresource.ts';
import type { Logger } from '../log/logger.ts';
import type { Kind, SpecInputOf } from '../schema/kind.ts';
import type { AdmittedKind, MatchCondition, WebhookDeclaration, WebhookSelectors } from './webhook-declaration.ts';

/** Result of a validator. */
export interface ValidationResult {
  /** Errors in the object. Without errors, the object is allowed. */
  readonly errors: readonly FieldError[];
  /** Warnings that kubectl prints even for an allowed object. A warning is truncated to 256 characters. */
  readonly warnings: readonly string[];
}

/**
 * The return value of a validator: errors, or errors and warnings. If the validator returns nothing, the object is
 * allowed.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a validator without a result needs no return statement.
export type ValidatorOutput = readonly FieldError[] | Partial<ValidationResult> | void;

/** A defaulter or a validator throws this error to reject the object. The response lists the errors. */
export class InvalidError extends Error {
  override readonly name = 'InvalidError';
  /** The errors, which the API server shows to the user. */
  readonly errors: readonly FieldError[];

  constructor(...errors: readonly [FieldError, ...FieldError[]]) {
    super(errors.map(({ field, message }) => `${field}: ${message}`).join(', '));
    this.errors = errors;
  }
}

/** The user of the request to the API server: Go's `authenticationv1.UserInfo`. */
export interface UserInfo {
  /** User name, such as `jane` or `system:serviceaccount:<namespace>:<name>`. Empty if the request has no user name. */
  readonly username: string;
  /** UID of the user, empty if the authenticator sets no UID. */
  readonly uid: string;
  /** Groups of the user, such as `system:serviceaccounts`. */
  readonly groups: readonly string[];
  /** Additional information of the authenticator. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** The data of a request that a webhook receives in addition to the object. */
export interface AdmissionContext {
  /** The write that the webhook reviews. */
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** Subresource of the request, such as `status`, absent for the object itself. */
  readonly subResource: string | undefined;
  /** Namespace of the object, absent for a cluster-scoped kind. */
  readonly namespace: string | undefined;
  /**
   * The user of the request, according to the sender of the review. The validator can allow or reject the object based
   * on the user, because only the sender receives the response. If {@link isCallerVerified} is false, a sender can
   * forge the user, so do not disclose data or perform actions for which the user needs permissions.
   */
  readonly user: UserInfo;
  /** Whether the sender has the API server's client certificate. Without the certificate, the sender may be any Pod. */
  readonly isCallerVerified: boolean;
  /** Field manager of the request, such as `kubectl-client-side-apply` or the name of a controller. */
  readonly fieldManager: string | undefined;
  /** Whether the request is a dry run. A webhook must not have side effects in a dry run. */
  readonly isDryRun: boolean;
  /** Time when the webhook received the review. */
  readonly now: Date;
  /** Aborts when the API server no longer waits for the response. */
  readonly signal: AbortSignal;
  /** Logger with the operation and the name of the object as fields. */
  readonly log: Logger;
}

/**
 * The input of a defaulter. The API server calls defaulters before it validates the object. For a kind without a
 * schema, any field of a draft may be missing, null or of a wrong type. {@link withDefaults} fills in missing fields.
 *
 * For a kind with a schema, `spec` is validated. Fields with a default may be missing. `Draft<typeof Website>` has the
 * type of this spec.
 */
export type Draft<
  T extends KubernetesObject | Kind,
  SpecInput = T extends Kind ? SpecInputOf<T> : unknown,
> = DraftObject<T extends Kind<infer Stored> ? Stored : Extract<T, KubernetesObject>, SpecInput>;

/** A {@link Draft} of the object type `T`. */
export type DraftObject<T extends KubernetesObject, SpecInput> = Pick<T, 'apiVersion' | 'kind'> & {
  readonly metadata: Partial<T['metadata']> & { readonly generateName?: string };
} & { readonly [Field in Exclude<keyof T, keyof KubernetesObject>]?: unknown } & (unknown extends SpecInput
    ? unknown
    : { readonly spec: SpecInput });

/** A schema that validates objects of a kind. */
export interface ObjectSchema {
  /**
   * Returns the faults of `object`, or an empty list if it is valid. For an update, `oldObject` is the stored object,
   * and faults in unchanged values are ignored. Objects that were stored before a rule existed can therefore be updated.
   * Never throws.
   */
  faults(object: unknown, oldObject?: unknown): readonly FieldError[];
}

/** A resource, or a kind with a schema that validates objects before the defaulter and the validators run. */
export interface AdmittedResource<T extends KubernetesObject, SpecInput = unknown>
  extends InputResource<T, SpecInput>,
    Pick<AdmittedKind, 'parent'> {
  readonly schema?: ObjectSchema;
}

/**
 * Returns a subresource for {@link WebhookRegistrar.for}: `webhooks.for(subresourceOf(core.v1.pods,
 * subresources.eviction), { … })`. The handlers receive the body of the subresource.
 */
export function subresourceOf<T extends KubernetesObject, Input extends object, Output>(
  parent: Resource<T>,
  { name, apiVersion, kind }: Subresource<Input, Output>,
): AdmittedResource<KubernetesObject & Input> {
  const [group, version] = [getGroup(apiVersion), apiVersion.slice(apiVersion.indexOf('/') + 1)];
  const resource: AdmittedKind = {
    group,
    version,
    kind,
    plural: `${parent.plural}/${name}`,
    namespaced: parent.namespaced,
    parent,
  };
  return resource as AdmittedResource<KubernetesObject & Input>; // the subresource determines the type of its objects
}

type MaybePromise<V> = V | Promise<V>;

/** Fills in missing fields. */
export interface Defaulter<T extends KubernetesObject, SpecInput = unknown> {
  /**
   * Returns the object with defaults. The webhook server sends the difference as a JSON patch. `object` is a copy. For
   * a custom resource, `object` has no null fields, because the JSON patch removes null fields. The defaulter is not
   * called for an object that is being deleted. An {@link InvalidError} rejects the object. After any other error or a
   * timeout, the API server applies the `failurePolicy`.
   *
   * For a kind with a schema, objects with faults are rejected before the defaulter is called. If only unchanged fields
   * of an update have faults, the update is allowed with a warning, and the defaulter is skipped.
   *
   * @param oldObject The stored object before an update. Absent for a create. The object may violate rules that did not
   *   exist when it was stored.
   */
  default(
    object: DraftObject<T, SpecInput>,
    context: AdmissionContext,
    oldObject?: T,
  ): MaybePromise<DraftObject<T, SpecInput> | T>;
}

/** A create or an update. `old` is the stored object before an update. */
export type Change<T> =
  | { readonly operation: 'CREATE'; readonly object: T; readonly old?: undefined }
  | { readonly operation: 'UPDATE'; readonly object: T; readonly old: T };

/** Validates creates and updates with one function, which is not called for an object that is being deleted. */
export interface ChangeValidator<T> {
  /** Validates a create or an update. Throw an {@link InvalidError} or return the errors to reject the object. */
  validate(change: Change<T>, context: AdmissionContext): MaybePromise<ValidatorOutput>;
}

/**
 * Validates creates and updates with separate functions. An {@link InvalidError} rejects the object. After any other
 * error or a timeout, the API server applies the `failurePolicy`.
 */
export interface CreateOrUpdateValidator<T> {
  /** Validates a new object. Default: new objects are allowed. */
  validateCreate?(object: T, context: AdmissionContext): MaybePromise<ValidatorOutput>;
  /**
   * Validates an update. The validator is not called for an object that is being deleted, because a rejection would
   * block the removal of finalizers. `oldObject`, and unchanged fields of `object`, may violate rules that did not exist
   * when `oldObject` was stored.
   */
  validateUpdate?(object: T, oldObject: T, context: AdmissionContext): MaybePromise<ValidatorOutput>;
}

/** Validates deletions. */
export interface DeleteValidator<T> {
  /**
   * Validates a delete. The stored object may violate rules that did not exist when the object was stored. The
   * validator is not called for an object that is already being deleted. The validator is also not called if the
   * namespace is being deleted, because a rejection would leave the namespace in the phase Terminating. To protect a
   * namespace, validate deletes of namespaces.
   *
   * With `failurePolicy: Fail`, users cannot delete the object while the webhook is unavailable. Foreground deletion of
   * an owner waits until its dependents can be deleted.
   */
  validateDelete?(object: T, context: AdmissionContext): MaybePromise<ValidatorOutput>;
}

/** Settings of a kind's webhooks in the webhook configurations. */
export interface WebhookSettings extends WebhookSelectors {
  /**
   * Name of the webhooks: a domain of at least two parts. The mutating webhook gets the prefix `m` and the validating
   * webhook the prefix `v`. Default `<kind>-<version>.<group>`, such as `website-v1.example.com`.
   */
  readonly name?: string;
  /** Whether the API server rejects (`Fail`) or allows (`Ignore`) the object if the webhook fails. Default `Fail`. */
  readonly failurePolicy?: WebhookDeclaration['failurePolicy'];
  /**
   * How long the API server waits for the response, 1 to 30 seconds. Default 10. The signal of the
   * {@link AdmissionContext} aborts after four fifths of the timeout.
   */
  readonly timeoutSeconds?: number;
  /** With `NoneOnDryRun`, the webhooks have side effects, but not in dry runs. Default `None`. */
  readonly sideEffects?: WebhookDeclaration['sideEffects'];
  /**
   * The API server calls the webhook only if all conditions are true. For a DELETE, `object` is null; use `oldObject`.
   * Default: no conditions.
   */
  readonly matchConditions?: readonly MatchCondition[];
  /**
   * Whether the API server calls the mutating webhook again if a later webhook changes the object. Default `Never`.
   */
  readonly reinvocationPolicy?: WebhookDeclaration['reinvocationPolicy'];
}

type UnsetMethods<Methods> = { readonly [Name in keyof Methods]?: undefined };

/** The defaulter and the validators of a kind, and the settings of their webhooks. */
export type AdmissionWebhooks<T extends KubernetesObject, SpecInput = unknown> = WebhookSettings &
  Partial<Defaulter<T, SpecInput>> &
  DeleteValidator<T> &
  (
    | (ChangeValidator<T> & UnsetMethods<CreateOrUpdateValidator<T>>)
    | (CreateOrUpdateValidator<T> & UnsetMethods<ChangeValidator<T>>)
  );

/** Registers the webhooks of kinds. `manager.webhooks` implements {@link WebhookRegistrar}. */
export interface WebhookRegistrar {
  /**
   * Registers a mutating webhook for the defaulter and a validating webhook for the validators, and returns their
   * declarations. Throws an error if the kind already has a webhook of the same type, or if it has neither a defaulter
   * nor a validator.
   */
  for<T extends KubernetesObject, SpecInput = unknown>(
    resource: AdmittedResource<T, SpecInput>,
    webhooks: AdmissionWebhooks<NoInfer<T>, NoInfer<SpecInput>>,
  ): readonly WebhookDeclaration[];
  /**
   * Serves the conversions of a kind with several versions. Throws an error if the kind has only one version, or if it is
   * already registered.
   */
  convert(kind: Kind): void;
}
