/**
 * Changes pages for the site: the layout shows the title, links lead to pages, wide tables and images scroll inside themselves, checkboxes
 * have names, and the browser draws diagrams.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LinkOptions, resolveLink } from './links.ts';
import { REPOSITORY_ROOT } from './pages.ts';

/** The parts of satteri's visitors that the plugin uses: satteri's types are not installed at the root of the repository. */
interface Element {
  readonly type: 'element';
  readonly tagName: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly children: readonly unknown[];
}
interface VisitorContext {
  readonly fileURL: URL | undefined;
  textContent(node: Element): string;
  removeNode(node: Element): void;
  wrapNode(node: Element, parent: Element): void;
  setProperty(node: Element, key: string, value: unknown): void;
}

/** Around a table or an image. Has a tab stop, because a keyboard scrolls only what has the focus. */
const createScroller = ({ tagName }: Element): Element => ({
  type: 'element',
  tagName: tagName === 'img' ? 'span' : 'div', // an image is in a paragraph
  properties: { className: ['scroller'], tabIndex: 0 },
  children: [],
});

/** For `src/diagrams.ts`. The search skips the source of a diagram. */
const createDiagramSource = (text: string) => ({
  type: 'element',
  tagName: 'pre',
  properties: { className: ['mermaid'], dataPagefindIgnore: '' },
  children: [{ type: 'text', value: text }],
});

/** A plugin for the Markdown processor satteri. */
export function createMarkdownPlugin(options: LinkOptions) {
  const visitLink = (node: Element, context: VisitorContext) => {
    const { href } = node.properties;
    if (context.fileURL === undefined || typeof href !== 'string') return undefined;
    const page = relative(REPOSITORY_ROOT, fileURLToPath(context.fileURL));
    const resolved = resolveLink(page, href, options);
    if (resolved === undefined) return { ...node, tagName: 'span', properties: {} };
    if (resolved !== href) context.setProperty(node, 'href', resolved);
    return undefined;
  };
  // GitHub tables need a header row, even if its cells are empty: a screen reader would announce them.
  const visitHeader = (node: Element, context: VisitorContext) =>
    context.textContent(node) === '' ? { ...node, tagName: 'td' } : undefined;
  const nameCheckbox = (node: Element, context: VisitorContext) => context.setProperty(node, 'ariaLabel', 'Done');
  const wrapInScroller = (node: Element, context: VisitorContext) => context.wrapNode(node, createScroller(node));
  const visitCode = (node: Element, context: VisitorContext) => {
    const [code] = node.children as readonly Element[];
    const isDiagram = [code?.properties?.['className']].flat().includes('language-mermaid');
    return isDiagram ? createDiagramSource(context.textContent(node)) : undefined;
  };
  return {
    name: 'repository-pages',
    element: [
      { filter: ['h1'], visit: (node: Element, context: VisitorContext) => context.removeNode(node) },
      { filter: ['a'], visit: visitLink },
      { filter: ['pre'], visit: visitCode },
      { filter: ['th'], visit: visitHeader },
      { filter: ['input'], visit: nameCheckbox },
      { filter: ['table', 'img'], visit: wrapInScroller },
    ],
  };
}
