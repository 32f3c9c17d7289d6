import { isRecord } from '../kubernetes/is-record.ts';

type DefaultFields = Readonly<Record<string, unknown>>;

/** Defaults for fields of `T`. All fields are optional, and a list has a default only as a whole. */
export type DefaultsFor<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Field in keyof T]?: DefaultsFor<T[Field]> | undefined }
    : T;

/**
 * Returns `draft` with `defaults` for absent and null fields, with the same result as for defaults in a CRD. Defaults
 * for the fields of a missing object have no effect. Existing values are unchanged.
 *
 *     withDefaults(draft, { spec: { replicas: 1 } })
 */
export function withDefaults<D extends object>(draft: D, defaults: NoInfer<DefaultsFor<D>>): D {
  // The result has the type D, because existing fields are unchanged, and the defaults have the types of the fields.
  return fillDefaults(draft, defaults as DefaultFields) as D;
}

function fillDefaults(value: unknown, defaults: DefaultFields): unknown {
  if (!isRecord(value)) return value;
  const fields = Object.entries(defaults).map(([name, fallback]) => {
    const currentValue = value[name] ?? undefined;
    if (isRecord(fallback)) return [name, fillDefaults(currentValue, fallback)] as const;
    return [name, currentValue ?? fallback] as const;
  });
  return { ...value, ...Object.fromEntries(fields.filter(([name, own]) => own !== undefined || name in value)) };
}
