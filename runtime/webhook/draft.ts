/** Filling in defaults of an object that nothing has been checked of. */
import { isRecord } from '../kubernetes/is-record.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * `draft` with `defaults` where it has nothing, or null: what the defaults of a CRD do. An object that is missing is not made up,
 * and what has a value keeps it, a wrong one too: both are for the schema to refuse.
 *
 *     withDefaults(draft, { spec: { replicas: 1 } })
 */
export function withDefaults<D extends object>(draft: D, defaults: Fields): D {
  // Only fields that D leaves open are filled in: whatever they hold, it is a D still.
  return filledIn(draft, defaults) as D;
}

function filledIn(value: unknown, defaults: Fields): unknown {
  if (!isRecord(value)) return value;
  const filled = Object.entries(defaults).map(([name, fallback]) => {
    const own = value[name] ?? undefined;
    if (isRecord(fallback)) return [name, filledIn(own, fallback)] as const;
    return [name, own ?? fallback] as const;
  });
  return { ...value, ...Object.fromEntries(filled.filter(([name, own]) => own !== undefined || name in value)) };
}
