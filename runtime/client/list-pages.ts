import { isExpired } from './errors.ts';

/** Maximum number of objects per page. It limits the time for which a response blocks the event loop. */
export const LIST_PAGE_SIZE = 500;

/** A page of a list. The items have no `kind` and no `apiVersion`. */
export interface ListPage<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items?: readonly T[];
}

export interface PageQuery {
  readonly limit: number | undefined;
  readonly continue: string | undefined;
}

export interface PagesOptions<T, K> {
  readonly read: (query: PageQuery) => Promise<ListPage<T>>;
  /** Converts an item before the next page is read. Only one page of whole objects uses memory. */
  readonly convert: (item: T) => K;
  /** Maximum number of objects. Default: all objects. */
  readonly limit?: number | undefined;
}

export interface ListResult<K> {
  readonly objects: readonly K[];
  readonly resourceVersion: string;
}

/**
 * Reads a list in pages. If the resource version of the first page expires, reads the whole list again in a single
 * response, because the remaining pages would have a different version. client-go does the same (tools/pager,
 * FullListIfExpired).
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
