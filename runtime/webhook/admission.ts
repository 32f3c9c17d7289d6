/** What a kind brings along to be defaulted and validated before the API server stores, or deletes, an object. */
import type { FieldError } from '../kubernetes/field-error.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import type { InputResource } from '../kubernetes/resource.ts';
import type { Logger } from '../log/logger.ts';
import type { MatchCondition, WebhookDeclaration } from './declaration.ts';

/** What a validator thinks of an object. It passes when there are no errors. */
export interface Verdict {
  readonly errors: readonly FieldError[];
  /** Shown by clients such as kubectl, also when the object passes. Longer ones than about 256 characters are cut. */
  readonly warnings: readonly string[];
}

/** What a validator returns: a verdict, or the part of it that there is. Nothing lets the object pass. */
// biome-ignore lint/suspicious/noConfusingVoidType: a validator that only throws, or finds nothing, needs no return.
export type Findings = readonly FieldError[] | Partial<Verdict> | void;

/** Thrown by a defaulter or validator that has found the object wrong: a refusal with these fields, as of a built-in kind. */
export class InvalidError extends Error {
  override readonly name = 'InvalidError';
  readonly errors: readonly FieldError[];

  constructor(...errors: readonly [FieldError, ...FieldError[]]) {
    super(errors.map(({ field, message }) => `${field}: ${message}`).join(', '));
    this.errors = errors;
  }
}

/** Who asked the API server for the change: `authentication.k8s.io/v1` UserInfo. */
export interface UserInfo {
  /** `jane`, `system:serviceaccount:<namespace>:<name>`. Empty when the request has none. */
  readonly username: string;
  /** Empty when the authenticator knows none. */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface AdmissionContext {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** Such as `status`; absent for the object itself. */
  readonly subResource: string | undefined;
  /** That of the request, which is the object's when it has one; absent for a kind without namespaces. */
  readonly namespace: string | undefined;
  /**
   * Who wants this, as whoever sent the review says. Base a decision on it freely: a false answer reaches nobody but the one who
   * sent the false question. But unless {@link isCallerVerified}, tell that one nothing, and do nothing, that only this user may.
   */
  readonly user: UserInfo;
  /** Whether the one who asks has shown a certificate, and so is the API server. Else it may be any Pod. */
  readonly isCallerVerified: boolean;
  /** `kubectl-client-side-apply`, the name of a controller. */
  readonly fieldManager: string | undefined;
  /** Nothing will be stored: side effects must not happen either. */
  readonly isDryRun: boolean;
  /** When the review began. */
  readonly now: Date;
  /** Aborts when the API server does not wait for the answer any longer. */
  readonly signal: AbortSignal;
  /** Carries the operation and the object's name. */
  readonly log: Logger;
}

/**
 * An object of a kind without a schema before anything has been checked: defaulting comes before the API server looks at the schema.
 * Any field may be missing, null or of another type; only metadata is what it should be, in part. {@link withDefaults} fills one in.
 *
 * Of a kind with a schema, `spec` has been checked and is what people may send: what has a default may be missing.
 */
export type Draft<T extends KubernetesObject, SpecInput = unknown> = Pick<T, 'apiVersion' | 'kind'> & {
  readonly metadata: Partial<T['metadata']> & { readonly generateName?: string };
} & { readonly [Field in Exclude<keyof T, keyof KubernetesObject>]?: unknown } & (unknown extends SpecInput
    ? unknown
    : { readonly spec: SpecInput });

/** The rules that an object of a kind keeps in itself. */
export interface ObjectSchema {
  /**
   * What is wrong with `object`; nothing when it is of the kind's type but for defaults. With `old`, the object before an update,
   * without those faults whose value the update leaves as it is: so an object that is older than a rule can still be changed
   * elsewhere. Never throws, whatever the object is.
   */
  faults(object: unknown, old?: unknown): readonly FieldError[];
}

/** A kind with or without a schema. With one, handlers get what their types say. */
export interface AdmittedResource<T extends KubernetesObject, SpecInput = unknown> extends InputResource<T, SpecInput> {
  readonly schema?: ObjectSchema;
}

type MaybePromise<V> = V | Promise<V>;

/** Fills in what people leave out. */
export interface Defaulter<T extends KubernetesObject, SpecInput = unknown> {
  /**
   * Returns the object with defaults filled in; the server sends the difference as a JSON patch. `object` is a copy, of a custom
   * resource without fields that are null, which the patch removes. Not called for objects that are being deleted. An {@link InvalidError} refuses the object; any other error, or a time limit that has passed,
   * fails the request: `failurePolicy` then decides.
   *
   * For a kind with a schema, an object with faults was refused before. One that has had a fault since before the schema knew it,
   * and is updated elsewhere, gets no defaults and a warning.
   *
   * @param old What an update is to replace. Absent on create. Whatever its type says, it was stored under the rules of its time.
   */
  default(object: Draft<T, SpecInput>, context: AdmissionContext, old?: T): MaybePromise<Draft<T, SpecInput> | T>;
}

/** An object that is to be stored, and on update what it is to replace. */
export type Change<T> =
  | { readonly operation: 'CREATE'; readonly object: T; readonly old?: undefined }
  | { readonly operation: 'UPDATE'; readonly object: T; readonly old: T };

/** Validates creates and updates alike. Not called for objects that are being deleted: see {@link CreateOrUpdateValidator}. */
export interface ChangeValidator<T> {
  validate(change: Change<T>, context: AdmissionContext): MaybePromise<Findings>;
}

/**
 * Says whether an object may be stored. An {@link InvalidError} refuses it; any other error, or a time limit that has passed, fails
 * the request: `failurePolicy` then decides.
 */
export interface CreateOrUpdateValidator<T> {
  validateCreate?(object: T, context: AdmissionContext): MaybePromise<Findings>;
  /**
   * Not called for objects that are being deleted: they always pass, or their finalizers could never go. `old` was stored under
   * the rules of its time and may break those of today, and `object` where it is the same.
   */
  validateUpdate?(object: T, old: T, context: AdmissionContext): MaybePromise<Findings>;
}

export interface DeleteValidator<T> {
  /**
   * Says whether an object may be deleted. It was stored under the rules of its time and may break those of today. Not called for
   * one that is being deleted already, nor when its namespace is being deleted: what it refused then would leave the namespace
   * Terminating for ever. Whoever wants to keep a namespace validates deletes of namespaces.
   *
   * With `failurePolicy: Fail`, nobody can delete such an object while no webhook answers, and an owner whose dependents may not
   * be deleted never goes in the foreground.
   */
  validateDelete?(old: T, context: AdmissionContext): MaybePromise<Findings>;
}

/** What the API server is told of the webhooks of a kind. */
export interface WebhookSettings {
  /**
   * A domain of at least two parts, which `m` and `v` are put before: people see it in refusals. Default
   * `<kind>-<version>.<group>`, such as `website-v1.example.com`.
   */
  readonly name?: string;
  /** What becomes of the object when the webhook does not answer. Default `Fail`. */
  readonly failurePolicy?: WebhookDeclaration['failurePolicy'];
  /** How long the API server waits for the answer, 1 to 30. Default 10. The handlers may use four fifths of it. */
  readonly timeoutSeconds?: number;
  /** `NoneOnDryRun`: the handlers have some, and heed `isDryRun`. Default `None`. */
  readonly sideEffects?: WebhookDeclaration['sideEffects'];
  /** The API server asks only when all of them are true. On DELETE, `object` is null: use `oldObject`. Default none. */
  readonly matchConditions?: readonly MatchCondition[];
}

type None<Methods> = { readonly [Name in keyof Methods]?: undefined };

/** Handlers of one kind, and what the API server is told of them. */
export type AdmissionWebhooks<T extends KubernetesObject, SpecInput = unknown> = WebhookSettings &
  Partial<Defaulter<T, SpecInput>> &
  DeleteValidator<T> &
  ((ChangeValidator<T> & None<CreateOrUpdateValidator<T>>) | (CreateOrUpdateValidator<T> & None<ChangeValidator<T>>));

/** Where webhooks are registered. */
export interface WebhookRegistrar {
  /**
   * Registers the webhooks of a kind: a mutating one when there is a defaulter, and a validating one for the operations that have a
   * validator. What they are declared as follows from that. Throws when the kind has webhooks already, or none are given.
   */
  for<T extends KubernetesObject, SpecInput = unknown>(
    resource: AdmittedResource<T, SpecInput>,
    webhooks: AdmissionWebhooks<NoInfer<T>, NoInfer<SpecInput>>,
  ): readonly WebhookDeclaration[];
}
