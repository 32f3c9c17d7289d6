/**
 * The documentation site: `make docs` and `make site`. Environment variables:
 * - `SITE_URL`: address of the site, with a slash at the end. Default: the root of any server.
 * - `DOCS_VERSION`: the version of the pages, which the header shows. Default `unreleased`, which is at `SITE_URL`. Other versions are in
 *   a folder there: `v1.2.0/`.
 * - `DOCS_VERSIONS`: all versions, with spaces between them. The sidebar links to them.
 * - `REPOSITORY`: address of the repository, for links to source files. Default: these links are text.
 */
import { join } from 'node:path';
import { satteri } from '@astrojs/markdown-satteri';
import starlight from '@astrojs/starlight';
import { defineConfig, passthroughImageService } from 'astro/config';
import { findBrokenLinks } from '../hack/docs/links.ts';
import { createMarkdownPlugin } from './markdown-plugin.ts';
import { buildSidebar, listPages, REPOSITORY_ROOT } from './pages.ts';

const UNRELEASED = 'unreleased';
const { SITE_URL, REPOSITORY, DOCS_VERSION = UNRELEASED, DOCS_VERSIONS = DOCS_VERSION } = process.env;

const locate = (version) => new URL(version === UNRELEASED ? '' : `${version}/`, SITE_URL || 'http://localhost/');
const base = locate(DOCS_VERSION).pathname;
const versions = DOCS_VERSIONS.split(' ').map((label) => ({ label, link: locate(label).href }));
const plugin = createMarkdownPlugin({
  base,
  repository: REPOSITORY || undefined,
  revision: DOCS_VERSION === UNRELEASED ? 'main' : DOCS_VERSION,
});

/** Fails the build, but not `make docs`, while a page is being written. */
const linkCheck = {
  name: 'link-check',
  hooks: {
    'astro:build:start': () => {
      const broken = listPages().flatMap((page) =>
        findBrokenLinks(join(REPOSITORY_ROOT, page)).map((link) => `${page}: ${link}`),
      );
      if (broken.length > 0) throw new Error(`broken links:\n${broken.join('\n')}`);
    },
  },
};

const diagrams = {
  name: 'diagrams',
  hooks: {
    'astro:config:setup': ({ injectScript }) => injectScript('page', "import '/src/diagrams.ts';"),
  },
};

/**
 * A keyboard scrolls only what has the focus, and a screen reader needs a name for a region. After a while, a script of Expressive Code
 * removes the tab stop and the region of a block that does not scroll.
 */
const nameCodeBlocks = {
  name: 'name-code-blocks',
  hooks: {
    postprocessRenderedBlock: ({ codeBlock, renderData }) => {
      const position = codeBlock.parentDocument?.positionInDocument?.groupIndex ?? 0;
      visitPre(renderData.blockAst, (pre) => {
        Object.assign(pre.properties, { tabIndex: 0, role: 'region', ariaLabel: `Code ${position + 1}` });
      });
    },
  },
};
const visitPre = (node, change) => {
  if (node.tagName === 'pre') change(node);
  for (const child of node.children ?? []) visitPre(child, change);
};

export default defineConfig({
  base,
  ...(SITE_URL && { site: SITE_URL }),
  outDir: '../dist/site',
  trailingSlash: 'always',
  image: { service: passthroughImageService() },
  markdown: { processor: satteri({ hastPlugins: [plugin], features: { smartPunctuation: false } }) },
  integrations: [
    linkCheck,
    diagrams,
    starlight({
      title: 'CronJob operator',
      sidebar: [...buildSidebar(), ...(versions.length > 1 ? [{ label: 'Versions', items: versions }] : [])],
      customCss: ['./src/site.css'],
      components: { SiteTitle: './src/site-title.astro' },
      expressiveCode: { shiki: { langAlias: { promql: 'text' } }, plugins: [nameCodeBlocks] },
    }),
  ],
});
