/**
 * Finalizers keep a deleted object until their owner has cleaned up. All functions return the given object when there
 * is nothing to change.
 */

/** A stored object or an object to store. */
export interface Finalizable {
  readonly metadata: { readonly finalizers?: readonly string[] | undefined };
}

export function hasFinalizer({ metadata }: Finalizable, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

/** @param finalizer Such as `example.com/website`. */
export function withFinalizer<T extends Finalizable>(object: T, finalizer: string): T {
  if (hasFinalizer(object, finalizer)) return object;
  return withFinalizers(object, [...(object.metadata.finalizers ?? []), finalizer]);
}

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
