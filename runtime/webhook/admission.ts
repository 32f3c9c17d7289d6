/** What a kind brings along to be defaulted and validated before the API server stores it. */
import type { KubernetesObject, Resource } from '../client/object.ts';
import type { FieldError } from '../kubernetes/field-error.ts';
import type { Logger } from '../log/logger.ts';

/** What a validator thinks of an object. It passes when there are no errors. */
export interface Verdict {
  readonly errors: readonly FieldError[];
  /** Shown by clients such as kubectl, also when the object passes. Longer ones than about 256 characters are cut. */
  readonly warnings: readonly string[];
}

export interface AdmissionContext {
  /** Aborts when the API server does not wait for the answer any longer. */
  readonly signal: AbortSignal;
  /** Carries the operation and the object's name. */
  readonly log: Logger;
  /** Nothing will be stored: side effects must not happen either. */
  readonly isDryRun: boolean;
  /** That of the request, which is the object's when it has one; absent for a kind without namespaces. */
  readonly namespace: string | undefined;
  /** Whether the one who asks has shown a certificate, and so is the API server. Else it may be any Pod. */
  readonly isCallerVerified: boolean;
}

/** Fills in what people leave out. */
export interface Defaulter<T> {
  /**
   * Returns the object with defaults filled in; the server sends the difference as a JSON patch. `object` must not be
   * changed. What it throws fails the request.
   */
  default(object: T): T;
}

/**
 * Says whether an object may be stored. What it throws, or takes too long for, fails the request: the webhook's
 * `failurePolicy` then decides.
 */
export interface Validator<T> {
  validateCreate(object: T, context: AdmissionContext): Promise<Verdict>;
  /** Not called for objects that are being deleted: they always pass, or their finalizers could never go. */
  validateUpdate(object: T, old: T, context: AdmissionContext): Promise<Verdict>;
}

/** Where webhooks are registered. Each kind has at most one of either sort. */
export interface WebhookRegistrar {
  /** Serves it at {@link mutatePath}. Throws when the kind has one already. */
  defaulter<T extends KubernetesObject>(resource: Resource<T>, defaulter: Defaulter<T>): void;
  /** Serves it at {@link validatePath}. Throws when the kind has one already. */
  validator<T extends KubernetesObject>(resource: Resource<T>, validator: Validator<T>): void;
}

/** Path of a kind's defaulting webhook, as controller-runtime has it: `/mutate-batch-v1-job`. */
export function mutatePath(resource: Resource): string {
  return `/mutate-${pathSuffix(resource)}`;
}

/** Path of a kind's validating webhook, as controller-runtime has it: `/validate-batch-v1-job`. */
export function validatePath(resource: Resource): string {
  return `/validate-${pathSuffix(resource)}`;
}

function pathSuffix({ group, version, kind }: Resource): string {
  return `${group.replaceAll('.', '-')}-${version}-${kind.toLowerCase()}`;
}
