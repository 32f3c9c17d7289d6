/** The interface of a kind's defaulter and validator, which run before the API server stores or deletes an object. */
import type { FieldError } from '../kubernetes/field-error.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { InputResource } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import type { MatchCondition, WebhookDeclaration } from './declaration.ts';

/** Result of a validator. The object passes when there are no errors. */
export interface ValidationResult {
  readonly errors: readonly FieldError[];
  /**
   * Shown by clients such as kubectl, even when the object passes. Longer warnings than about 256 characters are cut.
   */
  readonly warnings: readonly string[];
}

/** The return value of a validator: a verdict or a part of it. Without a value, the object passes. */
// biome-ignore lint/suspicious/noConfusingVoidType: a validator that only throws, or finds nothing, needs no return.
export type ValidatorOutput = readonly FieldError[] | Partial<ValidationResult> | void;

/**
 * Thrown by a defaulter or validator that rejects the object: the response lists these fields, as for a built-in kind.
 */
export class InvalidError extends Error {
  override readonly name = 'InvalidError';
  readonly errors: readonly FieldError[];

  constructor(...errors: readonly [FieldError, ...FieldError[]]) {
    super(errors.map(({ field, message }) => `${field}: ${message}`).join(', '));
    this.errors = errors;
  }
}

/** The user who requested the change from the API server: `authentication.k8s.io/v1` UserInfo. */
export interface UserInfo {
  /** `jane`, `system:serviceaccount:<namespace>:<name>`. Empty when the request has no user name. */
  readonly username: string;
  /** Empty when the authenticator does not set it. */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface AdmissionContext {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** A subresource such as `status`; absent for the object itself. */
  readonly subResource: string | undefined;
  /** Namespace of the request, which equals the object's namespace if it has one; absent for a cluster-scoped kind. */
  readonly namespace: string | undefined;
  /**
   * The requesting user, as the sender of the review states it. You can base a decision on it: a false decision reaches
   * only the sender of the false review. But unless {@link isCallerVerified}, do not reveal or do anything that only
   * this user may see or do.
   */
  readonly user: UserInfo;
  /** Whether the sender has presented a client certificate, and so is the API server. Otherwise it may be any Pod. */
  readonly isCallerVerified: boolean;
  /** `kubectl-client-side-apply`, or the name of a controller. */
  readonly fieldManager: string | undefined;
  /** The server will not store the object, so there must be no side effects either. */
  readonly isDryRun: boolean;
  /** When the review began. */
  readonly now: Date;
  /** Aborts when the API server no longer waits for the response. */
  readonly signal: AbortSignal;
  /** Has the operation and the object's name as fields. */
  readonly log: Logger;
}

/**
 * An unchecked object of a kind without a schema: defaulting runs before the API server checks the schema. Any field
 * may be missing, null or of another type; only metadata is partly checked. {@link withDefaults} fills in fields.
 *
 * For a kind with a schema, `spec` has been checked and has the form that users may send: fields with a default may be
 * missing.
 */
export type Draft<T extends KubernetesObject, SpecInput = unknown> = Pick<T, 'apiVersion' | 'kind'> & {
  readonly metadata: Partial<T['metadata']> & { readonly generateName?: string };
} & { readonly [Field in Exclude<keyof T, keyof KubernetesObject>]?: unknown } & (unknown extends SpecInput
    ? unknown
    : { readonly spec: SpecInput });

/** The schema that an object of a kind carries. */
export interface ObjectSchema {
  /**
   * Returns the faults of `object`; an empty list when it matches the kind's type, apart from defaults. With `old`, the
   * object before an update, it skips faults in values that the update does not change, so that an object that is older
   * than a rule can still be changed elsewhere. Never throws.
   */
  faults(object: unknown, old?: unknown): readonly FieldError[];
}

/** A kind with or without a schema. With a schema, handlers get objects that match their types. */
export interface AdmittedResource<T extends KubernetesObject, SpecInput = unknown> extends InputResource<T, SpecInput> {
  readonly schema?: ObjectSchema;
}

type MaybePromise<V> = V | Promise<V>;

/** Fills in fields that users leave out. */
export interface Defaulter<T extends KubernetesObject, SpecInput = unknown> {
  /**
   * Returns the object with defaults filled in; the server sends the difference as a JSON patch. `object` is a copy;
   * for a custom resource, the copy has no null fields, because the patch removes them. Not called for objects that are
   * being deleted. An {@link InvalidError} rejects the object; any other error, or a timeout, fails the request:
   * `failurePolicy` then decides.
   *
   * For a kind with a schema, objects with faults are rejected before this call. An object with a fault that is older
   * than the schema's rule, and that is updated elsewhere, gets no defaults and a warning.
   *
   * @param old The object that an update replaces. Absent on create. Despite its type, it may violate rules that did
   *   not exist when it was stored.
   */
  default(object: Draft<T, SpecInput>, context: AdmissionContext, old?: T): MaybePromise<Draft<T, SpecInput> | T>;
}

/** An object to store, and on update also the object that it replaces. */
export type Change<T> =
  | { readonly operation: 'CREATE'; readonly object: T; readonly old?: undefined }
  | { readonly operation: 'UPDATE'; readonly object: T; readonly old: T };

/** Validates creates and updates alike. Not called for objects that are being deleted: see {@link CreateOrUpdateValidator}. */
export interface ChangeValidator<T> {
  validate(change: Change<T>, context: AdmissionContext): MaybePromise<ValidatorOutput>;
}

/**
 * Decides whether an object may be stored. An {@link InvalidError} rejects it; any other error, or a timeout, fails the
 * request: `failurePolicy` then decides.
 */
export interface CreateOrUpdateValidator<T> {
  validateCreate?(object: T, context: AdmissionContext): MaybePromise<ValidatorOutput>;
  /**
   * Not called for objects that are being deleted: they always pass, because otherwise their finalizers could not be
   * removed. `old` may violate rules that did not exist when it was stored, and so may the unchanged parts of `object`.
   */
  validateUpdate?(object: T, old: T, context: AdmissionContext): MaybePromise<ValidatorOutput>;
}

export interface DeleteValidator<T> {
  /**
   * Decides whether an object may be deleted. The object may violate rules that did not exist when it was stored. Not
   * called for an object that is already being deleted, or when its namespace is being deleted: a rejection would then
   * leave the namespace Terminating for ever. To protect a namespace, validate deletes of namespaces.
   *
   * With `failurePolicy: Fail`, users cannot delete such an object while no webhook answers, and foreground deletion of
   * an owner never completes while its dependents may not be deleted.
   */
  validateDelete?(old: T, context: AdmissionContext): MaybePromise<ValidatorOutput>;
}

/** Settings of a kind's webhooks in the API server. */
export interface WebhookSettings {
  /**
   * A domain of at least two parts, with the prefix `m` or `v`; error messages show it. Default
   * `<kind>-<version>.<group>`, such as `website-v1.example.com`.
   */
  readonly name?: string;
  /** How the API server handles the object when the webhook does not answer. Default `Fail`. */
  readonly failurePolicy?: WebhookDeclaration['failurePolicy'];
  /**
   * How long the API server waits for the response, 1 to 30 seconds. Default 10. The handlers may use four fifths of it.
   */
  readonly timeoutSeconds?: number;
  /** `NoneOnDryRun`: the handlers have side effects, but respect `isDryRun`. Default `Without`. */
  readonly sideEffects?: WebhookDeclaration['sideEffects'];
  /**
   * The API server calls the webhook only when all of them are true. On DELETE, `object` is null: use `oldObject`.
   * Default: no conditions.
   */
  readonly matchConditions?: readonly MatchCondition[];
}

type Without<Methods> = { readonly [Name in keyof Methods]?: undefined };

/** Handlers of one kind, and the settings of their webhooks. */
export type AdmissionWebhooks<T extends KubernetesObject, SpecInput = unknown> = WebhookSettings &
  Partial<Defaulter<T, SpecInput>> &
  DeleteValidator<T> &
  (
    | (ChangeValidator<T> & Without<CreateOrUpdateValidator<T>>)
    | (CreateOrUpdateValidator<T> & Without<ChangeValidator<T>>)
  );

/** Registers webhooks. */
export interface WebhookRegistrar {
  /**
   * Registers the webhooks of a kind: a mutating one if there is a defaulter, and a validating one for the operations
   * with a validator. Their declarations derive from these. Throws when the kind already has webhooks, or when there
   * are no handlers.
   */
  for<T extends KubernetesObject, SpecInput = unknown>(
    resource: AdmittedResource<T, SpecInput>,
    webhooks: AdmissionWebhooks<NoInfer<T>, NoInfer<SpecInput>>,
  ): readonly WebhookDeclaration[];
}
