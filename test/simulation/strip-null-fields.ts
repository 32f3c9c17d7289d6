import { stripNulls } from '../../runtime/client/strip-nulls.ts';

/** Transforms an object on its way from the server into the manager, in caches and responses alike. */
export function stripNullFields<T>(object: T): T {
  return stripNulls(object) as T; // the remaining fields keep their types
}
