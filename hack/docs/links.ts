/** Links between the pages of the repository, as GitHub follows them. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toAnchor } from './markdown.ts';

/** `](page.md#heading)` */
const INLINE = /\]\((?!\w+:)([^)#]*)(#[^)]*)?\)/g;
/** `[label]: page.md#heading` */
const DEFINITION = /^\[[^\]]+\]: (?!\w+:)([^\s#]*)(#\S*)?$/gm;

/** The broken relative links of a page: to a missing file, or to a missing heading of a Markdown file. Ignores code. */
export function findBrokenLinks(page: string): readonly string[] {
  const text = stripInlineCode(readFileSync(page, 'utf8'));
  const links = [...text.matchAll(INLINE), ...text.matchAll(DEFINITION)];
  return links
    .filter(([, path = '', fragment]) => !hasTarget(path === '' ? page : join(dirname(page), path), fragment))
    .map(([link]) => link);
}

function hasTarget(target: string, fragment: string | undefined): boolean {
  if (!existsSync(target)) return false;
  if (fragment === undefined) return true;
  return statSync(target).isFile() && listAnchors(readFileSync(target, 'utf8')).includes(fragment);
}

/** GitHub's anchor of a repeated heading ends in a number. */
function listAnchors(text: string): readonly string[] {
  const anchors = [...stripCodeBlocks(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => toAnchor(heading));
  return anchors.map((each, index) => {
    const before = anchors.slice(0, index).filter((other) => other === each).length;
    return before === 0 ? each : `${each}-${before}`;
  });
}

function stripCodeBlocks(text: string): string {
  return text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
}

function stripInlineCode(text: string): string {
  return stripCodeBlocks(text).replaceAll(/`[^`\n]*`/g, '');
}
