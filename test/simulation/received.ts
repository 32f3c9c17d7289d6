import { withoutNulls } from '../../runtime/client/absent-nulls.ts';

/** What becomes of an object on its way from the server into the manager, in caches and answers alike. */
export function asReceived<T>(object: T): T {
  return withoutNulls(object) as T; // what is there keeps its type
}
