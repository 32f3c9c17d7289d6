/**
 * Evaluates the validation rules of a custom resource. The fake API server has no CEL interpreter. Instead, the server
 * finds the rule of `apiRule` by the CEL expression, and calls the function `isValid` of the rule.
 */
import { z } from 'zod';
import { type FieldError, invalid } from '../../../kubernetes/field-error.ts';
import { hasOldSelf, VALIDATIONS_META_KEY } from '../../../schema/api-rules.ts';
import type { Kind } from '../../../schema/kind.ts';
import { buildTree, getProperty, type SchemaTree } from '../../../schema/schema-tree.ts';
import type { StructuralSchema, ValidationRule } from '../../../schema/structural-schema.ts';
import { getVariants, listVariantRules } from '../../../schema/variants.ts';
import { unwrapLayers, type ZodSchema } from '../../../schema/wrapped-schema.ts';
import { type SchemaValue, walkValues } from './walk.ts';

type RuleFunction = (value: unknown, oldValue: unknown) => boolean;

/** Rules as JavaScript functions, by their CEL expressions. */
export type RuleFunctions = ReadonlyMap<string, RuleFunction>;

/**
 * @param root Schema of the CRD. If the kind limits the length of names, the first rule of the schema checks the
 * length.
 */
export function collectRuleFunctions({ schema, name }: Kind, root: StructuralSchema): RuleFunctions {
  const functions = new Map<string, RuleFunction>();
  const visited = new Set<SchemaTree>();
  const visit = (tree: SchemaTree) => {
    if (visited.has(tree)) return;
    visited.add(tree);
    for (const { rule, isValid } of [...unwrapLayers(tree.schema)].flatMap(listApiRules)) functions.set(rule, isValid);
    const children = [
      ...(tree.fields ?? []).map((field) => field.tree),
      ...(tree.variants?.byValue.values() ?? []),
      ...[tree.element, tree.mapEntry?.values],
    ];
    for (const child of children) if (child !== undefined) visit(child);
  };
  for (const part of [schema.spec, schema.status]) if (part !== undefined) visit(buildTree(part));
  const nameRule = root['x-kubernetes-validations']?.[0];
  if (name !== undefined && nameRule !== undefined) {
    const getName = (object: unknown) => String(getProperty(getProperty(object, 'metadata'), 'name'));
    functions.set(nameRule.rule, (object, old) => old !== undefined || getName(object).length <= name.maxLength);
  }
  return functions;
}

function listApiRules(schema: ZodSchema): readonly { readonly rule: string; readonly isValid: RuleFunction }[] {
  const rules = z.globalRegistry.get(schema)?.[VALIDATIONS_META_KEY];
  const variants = getVariants(schema);
  return [
    ...(Array.isArray(rules) ? rules.filter(({ isValid }) => isValid !== undefined) : []),
    ...(variants === undefined ? [] : listVariantRules(variants)),
  ];
}

/** Returns the errors of the rules that have a JavaScript function. */
export function validateRules(root: SchemaValue, functions: RuleFunctions): readonly FieldError[] {
  const errors: FieldError[] = [];
  walkValues(root, ({ schema, value, old, path }) => {
    for (const rule of schema['x-kubernetes-validations'] ?? []) {
      const isValid = functions.get(rule.rule);
      if (isValid === undefined || (old === undefined && needsOldValue(rule)) || isValid(value, old)) continue;
      errors.push(invalid(formatField(path, rule), value, rule.message));
    }
  });
  return errors;
}

/** Returns whether the rule compares with the old value. The API server skips such a rule for a new value. */
function needsOldValue(rule: ValidationRule): boolean {
  return !rule.optionalOldSelf && hasOldSelf(rule);
}

/** For an error of the object itself, the API server reports the field `<nil>`. */
function formatField(path: string, { fieldPath = '' }: ValidationRule): string {
  return `${path}${fieldPath}`.replace(/^\./, '') || '<nil>';
}
