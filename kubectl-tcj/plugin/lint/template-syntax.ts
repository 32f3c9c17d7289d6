/** Detects manifests that a template tool must render before lint can check them. */
import { GROUP } from '../../../api/v1/groupversion.ts';

/** Precedes an expression of ytt, which is a YAML comment. */
export const YTT_MARK = '#@';

/** Matches expressions of Helm, Jinja, ERB and ytt. */
const TEMPLATE_TAGS = new RegExp(`\\{\\{|\\{%|<%|${YTT_MARK}`);
/** Matches variables of shells and Flux. */
const VARIABLES = /\$[{(]/;

const API_VERSION_LINE = new RegExp(`apiVersion["']?\\s*:\\s*["']?${GROUP.replaceAll('.', '\\.')}/`);

export function hasTemplateSyntax(text: string): boolean {
  return hasTemplateTags(text) || VARIABLES.test(text);
}

/** Returns whether an invalid value contains a template expression. Also finds variables without braces, which `envsubst` replaces. */
export function isTemplateValue(value: string): boolean {
  return hasTemplateSyntax(value) || /\$[A-Za-z_]/.test(value);
}

/** Ignores variables, which also occur in the scripts of containers. */
export function hasTemplateTags(text: string): boolean {
  return TEMPLATE_TAGS.test(text);
}

/** Returns whether a text contains a CronJob of this operator, even if the text cannot be parsed. */
export function mentionsCronJob(text: string): boolean {
  return API_VERSION_LINE.test(text);
}
