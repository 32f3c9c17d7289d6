/** Links between the pages of the repository, as GitHub follows them. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toAnchor } from '../../hack/docs/markdown.ts';

/** `](page.md#heading)` */
const INLINE = /\]\((?!\w+:)([^)#]*)(#[^)]*)?\)/g;
/** `[label]: page.md#heading` */
const DEFINITION = /^\[[^\]]+\]: (?!\w+:)([^\s#]*)(#\S*)?$/gm;

/** The broken relative links of a page: to a missing file, or to a missing heading of a Markdown file. Ignores code. */
export function brokenLinksOf(page: string): readonly string[] {
  const text = withoutCode(readFileSync(page, 'utf8'));
  const links = [...text.matchAll(INLINE), ...text.matchAll(DEFINITION)];
  return links
    .filter(([, path = '', fragment]) => !leadsSomewhere(path === '' ? page : join(dirname(page), path), fragment))
    .map(([link]) => link);
}

function leadsSomewhere(target: string, fragment: string | undefined): boolean {
  if (!existsSync(target)) return false;
  if (fragment === undefined) return true;
  return statSync(target).isFile() && anchorsOf(readFileSync(target, 'utf8')).includes(fragment);
}

/** GitHub's anchor of a repeated heading ends in a number. */
function anchorsOf(text: string): readonly string[] {
  const anchors = [...withoutBlocks(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => toAnchor(heading));
  return anchors.map((each, index) => {
    const before = anchors.slice(0, index).filter((other) => other === each).length;
    return before === 0 ? each : `${each}-${before}`;
  });
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
}

function withoutCode(text: string): string {
  return withoutBlocks(text).replaceAll(/`[^`\n]*`/g, '');
}
