/** Fills in defaults of an unchecked object. */
import { isRecord } from '../kubernetes/is-record.ts';

type DefaultFields = Readonly<Record<string, unknown>>;

/**
 * Returns `draft` with `defaults` for absent or null fields, like the defaults of a CRD. It does not create a missing
 * object, and keeps existing values, even invalid ones: the schema rejects both.
 *
 *     withDefaults(draft, { spec: { replicas: 1 } })
 */
export function withDefaults<D extends object>(draft: D, defaults: DefaultFields): D {
  // Only fields that D leaves open are filled in, so the result is still a D.
  return fillDefaults(draft, defaults) as D;
}

function fillDefaults(value: unknown, defaults: DefaultFields): unknown {
  if (!isRecord(value)) return value;
  const fields = Object.entries(defaults).map(([name, fallback]) => {
    const current = value[name] ?? undefined;
    if (isRecord(fallback)) return [name, fillDefaults(current, fallback)] as const;
    return [name, current ?? fallback] as const;
  });
  return { ...value, ...Object.fromEntries(fields.filter(([name, own]) => own !== undefined || name in value)) };
}
