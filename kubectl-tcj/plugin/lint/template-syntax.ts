/** Detects manifests that a template tool must render before lint can check them. */
import { GROUP } from '../../../api/v1/groupversion.ts';

/** Matches expressions of Helm, Jinja, ERB, shells, Flux and ytt. */
const TEMPLATE_SYNTAX = /\{\{|\{%|<%|\$[{(]|#@/;

const API_VERSION_LINE = new RegExp(`apiVersion["']?\\s*:\\s*["']?${GROUP.replaceAll('.', '\\.')}/`);

export function hasTemplateSyntax(text: string): boolean {
  return TEMPLATE_SYNTAX.test(text);
}

/** Returns whether a text contains a CronJob of this operator, even if the text cannot be parsed. */
export function mentionsCronJob(text: string): boolean {
  return API_VERSION_LINE.test(text);
}
