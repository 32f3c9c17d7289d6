/** The files of the page by URL path, such as `/app.js`. */
export type PageFiles = ReadonlyMap<string, { readonly type: string; readonly body: string }>;

/** The files that the build of kubectl-tcj/ui writes into dist/ui. */
export const PAGE_FILES = [
  { name: 'index.html', type: 'text/html; charset=utf-8' },
  { name: 'app.js', type: 'text/javascript; charset=utf-8' },
  { name: 'app.css', type: 'text/css; charset=utf-8' },
] as const;

export const PAGE_NOT_BUILT = 'the page is not built; run "npm run build:ui" in the repository';
