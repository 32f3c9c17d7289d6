/** Reads a list in pages. */
import { isExpired } from './errors.ts';

/** Objects per page of a list: limits how long one response blocks the event loop. */
export const LIST_PAGE_SIZE = 500;

/** One page of a list. The API server omits `kind` and `apiVersion` in the items. */
export interface ListPage<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items?: readonly T[];
}

/** Query parameters of a page request. */
export interface PageQuery {
  readonly limit: number | undefined;
  readonly continue: string | undefined;
}

export interface PagesOptions<T, K> {
  readonly read: (query: PageQuery) => Promise<ListPage<T>>;
  /** Returns the part of an item to keep. Called per page, so that only one page exists as whole objects. */
  readonly convert: (item: T) => K;
  /** Maximum number of objects. Default: all. */
  readonly limit?: number | undefined;
}

/** All objects, or the first `limit` objects, and the version of the list. */
export interface ListResult<K> {
  readonly objects: readonly K[];
  readonly resourceVersion: string;
}

/**
 * Reads page after page. After a compaction of etcd, the version of the first page expires: then it reads everything
 * again in one response, as client-go does (tools/pager, FullListIfExpired), because the remaining pages would have
 * another version.
 */
export async function listPages<T, K>({ read, convert, limit = Infinity }: PagesOptions<T, K>): Promise<ListResult<K>> {
  let isLaterPage = false;
  const readPage = (query: PageQuery) => {
    isLaterPage = query.continue !== undefined;
    return read(query);
  };
  try {
    return await followPages({ read: readPage, convert, limit }, Math.min(LIST_PAGE_SIZE, limit));
  } catch (error) {
    if (!isLaterPage || !isExpired(error)) throw error;
    return await followPages({ read, convert, limit }, Number.isFinite(limit) ? limit : undefined);
  }
}

/** @param firstPageLimit Maximum number of objects on the first page. */
async function followPages<T, K>(
  { read, convert, limit }: Required<PagesOptions<T, K>> & { readonly limit: number },
  firstPageLimit: number | undefined,
): Promise<ListResult<K>> {
  const objects: K[] = [];
  let query: PageQuery = { limit: firstPageLimit, continue: undefined };
  for (;;) {
    const page = await read(query);
    for (const item of page.items ?? []) objects.push(convert(item));
    const { resourceVersion, continue: next } = page.metadata;
    if (!next || objects.length >= limit) return { objects, resourceVersion };
    query = { limit: Math.min(LIST_PAGE_SIZE, limit - objects.length), continue: next };
  }
}
