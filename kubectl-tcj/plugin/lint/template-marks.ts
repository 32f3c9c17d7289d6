/** Recognizes manifests that a template tool fills in, which lint can only check afterwards. */
import { GROUP } from '../../../api/v1/groupversion.ts';

/** Marks of Helm, Jinja, ERB, shells and Flux, and ytt. */
const TEMPLATE_MARK = /\{\{|\{%|<%|\$[{(]|#@/;

const OUR_VERSION = new RegExp(`apiVersion["']?\\s*:\\s*["']?${GROUP.replaceAll('.', '\\.')}/`);

export function hasTemplateMark(text: string): boolean {
  return TEMPLATE_MARK.test(text);
}

/** Whether a text that cannot be parsed contains a CronJob. */
export function mentionsCronJob(text: string): boolean {
  return OUR_VERSION.test(text);
}
