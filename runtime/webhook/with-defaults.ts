import { isRecord } from '../kubernetes/is-record.ts';

type DefaultFields = Readonly<Record<string, unknown>>;

/**
 * Returns `draft` with `defaults` for absent and null fields, with the same result as for defaults in a CRD. Defaults
 * for the fields of a missing object have no effect. Existing values are unchanged.
 *
 *     withDefaults(draft, { spec: { replicas: 1 } })
 */
export function withDefaults<D extends object>(draft: D, defaults: DefaultFields): D {
  // The result has the type D, because existing fields are unchanged.
  return fillDefaults(draft, defaults) as D;
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
