/**
 * Functions for the finalizers of an object. The API server keeps a deleted object until all finalizers are removed.
 */

/** An object that can have finalizers. */
export interface Finalizable {
  readonly metadata: { readonly finalizers?: readonly string[] | undefined };
}

/** Returns whether `object` has the finalizer. */
export function hasFinalizer({ metadata }: Finalizable, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * Returns `object` with the finalizer, or `object` itself if it has the finalizer already.
 * @param finalizer Name of the finalizer, such as `example.com/website`.
 */
export function withFinalizer<T extends Finalizable>(object: T, finalizer: string): T {
  if (hasFinalizer(object, finalizer)) return object;
  return withFinalizers(object, [...(object.metadata.finalizers ?? []), finalizer]);
}

/** Returns `object` without the finalizer, or `object` itself if it has no such finalizer. */
export function withoutFinalizer<T extends Finalizable>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object;
  const { finalizers = [] } = object.metadata;
  return withFinalizers(
    object,
    finalizers.filter((other) => other !== finalizer),
  );
}

function withFinalizers<T extends Finalizable>(object: T, finalizers: readonly string[]): T {
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
