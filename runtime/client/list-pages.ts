import { InvalidResponseError, isExpired } from './errors.ts';

/** Maximum number of objects per page. A larger response would block the event loop for a longer time. */
export const LIST_PAGE_SIZE = 500;

/** A page of a list. The fields `kind` and `apiVersion` of the items are absent. */
export interface ListPage<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items?: readonly T[];
}

export interface PageQuery {
  readonly limit: number | undefined;
  readonly continue: string | undefined;
}

export interface ListPagesOptions<T, K> {
  readonly read: (query: PageQuery) => Promise<ListPage<T>>;
  /** Converts an item of a page. The client converts each page before it reads the next page, to save memory. */
  readonly convert: (item: T) => K;
  readonly limit?: number | undefined;
}

export interface ListResult<K> {
  readonly objects: readonly K[];
  readonly resourceVersion: string;
}

/**
 * Reads a list in pages. If the resource version of the first page expires, reads the whole list again in a single
 * response, because the remaining pages would have a different resource version. See `FullListIfExpired` in tools/pager
 * of client-go.
 */
export async function listPages<T, K>({
  read,
  convert,
  limit = Infinity,
}: ListPagesOptions<T, K>): Promise<ListResult<K>> {
  let isLaterPage = false;
  const readPage = (query: PageQuery) => {
    isLaterPage = query.continue !== undefined;
    return read(query);
  };
  try {
    return await readPages({ read: readPage, convert, limit }, Math.min(LIST_PAGE_SIZE, limit));
  } catch (error) {
    if (!isLaterPage || !isExpired(error)) throw error;
    return await readPages({ read, convert, limit }, Number.isFinite(limit) ? limit : undefined);
  }
}

async function readPages<T, K>(
  { read, convert, limit }: Required<ListPagesOptions<T, K>> & { readonly limit: number },
  firstPageLimit: number | undefined,
): Promise<ListResult<K>> {
  const objects: K[] = [];
  let query: PageQuery = { limit: firstPageLimit, continue: undefined };
  for (;;) {
    const page = await read(query);
    for (const item of page.items ?? []) objects.push(convert(item));
    const { resourceVersion, continue: next } = page.metadata;
    if (!next || objects.length >= limit) return { objects, resourceVersion };
    if (next === query.continue)
      throw new InvalidResponseError('a page of a list leads to itself; check for a proxy that caches responses');
    query = { limit: Math.min(LIST_PAGE_SIZE, limit - objects.length), continue: next };
  }
}
