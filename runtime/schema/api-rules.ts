/** The rules that `apiRule` adds to zod schemas. */
import { z } from 'zod';
import type { ValidationRule } from './structural-schema.ts';
import type { ZodSchema } from './wrapped-schema.ts';

/** Key in zod's `.meta()` whose value is the list of rules. */
export const VALIDATIONS_META_KEY = 'x-kubernetes-validations';

/** A rule that compares a value with its old value. */
export interface TransitionRule extends ValidationRule {
  readonly isValid: (value: unknown, oldValue: unknown) => boolean;
}

/** Returns whether the rule compares the value with its old value. */
export function hasOldSelf({ rule }: ValidationRule): boolean {
  return /\boldSelf\b/.test(rule);
}

/** Returns the rules of `schema`, without the rules of wrapped schemas. */
export function listTransitionRules(schema: ZodSchema): readonly TransitionRule[] {
  const rules = z.globalRegistry.get(schema)?.[VALIDATIONS_META_KEY];
  return Array.isArray(rules) ? rules.filter((rule) => rule.isValid !== undefined && hasOldSelf(rule)) : [];
}
