/** Reads the Markdown files where they are, and takes the title of each page from its first heading. */

import { defineCollection } from 'astro:content';
import { relative } from 'node:path';
import { docsSchema } from '@astrojs/starlight/schema';
import { glob, type Loader } from 'astro/loaders';
import { listPages, REPOSITORY_ROOT, readTitle, toSlug } from '../pages.ts';

const files = glob({ base: '..', pattern: [...listPages()], generateId: ({ entry }) => toSlug(entry) || 'index' });

const loader: Loader = {
  name: 'repository-pages',
  load: (context) =>
    files.load({
      ...context,
      parseData: ({ filePath = '', ...entry }) =>
        context.parseData({
          ...entry,
          filePath,
          data: { title: readTitle(relative(REPOSITORY_ROOT, filePath)) } as never,
        }),
    }),
};

export const collections = { docs: defineCollection({ loader, schema: docsSchema() }) };
