/** Manifests that are filled in before they are applied: they are checked after that. */
import { GROUP } from '../../../api/v1/groupversion.ts';

/** Of Helm, Jinja, ERB, shells and Flux, and ytt. */
const TEMPLATE_MARK = /\{\{|\{%|<%|\$[{(]|#@/;

const OUR_VERSION = new RegExp(`apiVersion["']?\\s*:\\s*["']?${GROUP.replaceAll('.', '\\.')}/`);

export function hasTemplateMark(text: string): boolean {
  return TEMPLATE_MARK.test(text);
}

/** For a text that cannot be read. */
export function namesCronJob(text: string): boolean {
  return OUR_VERSION.test(text);
}
