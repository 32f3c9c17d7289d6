/**
 * Finds the faults of a value according to its zod schema.
 *
 * A single call of zod would report all faults, and a long list may have a million faults. Therefore `findFaults`
 * itself traverses the value and the schema. The search stops after {@link MAX_FAULTS} faults, and skips fields that an
 * update does not change.
 */
import { z } from 'zod';
import type { FieldError } from '../kubernetes/field-error.ts';
import type { TransitionRule } from './api-rules.ts';
import { withDefaults } from './defaults.ts';
import {
  createRequiredError,
  findIssues,
  formatChildPath,
  formatMapKeyPath,
  formatMessage,
  toFieldError,
} from './issue-messages.ts';
import { isSameJson } from './same-json.ts';
import { type ChildValue, getProperty, listChildren, nullToUndefined, type SchemaTree } from './schema-tree.ts';

/** Maximum number of reported faults. The faults in a webhook response have the same limit (docs/adr/0041-seats.md). */
export const MAX_FAULTS = 50;

export interface ValueToCheck {
  readonly tree: SchemaTree;
  readonly value: unknown;
  /** The value before an update. Absent when the object is created. */
  readonly old?: OldValue | undefined;
  readonly field: string;
}

interface OldValue {
  readonly value: unknown;
}

/**
 * Returns at most {@link MAX_FAULTS} faults. If the value has more faults, the last returned fault reports that the
 * list is not complete.
 */
export function findFaults({ tree, value, old, field }: ValueToCheck): readonly FieldError[] {
  const faults = new FaultList(MAX_FAULTS + 1);
  checkValue(faults, tree, value, old, { parent: undefined, key: field });
  if (!faults.isFull) return faults.items;
  const reason = 'FieldValueInvalid';
  const message = formatMessage(reason, value, 'too many errors to show all of them');
  return [...faults.items.slice(0, MAX_FAULTS - 1), { reason, field, message }];
}

class FaultList {
  readonly items: FieldError[] = [];
  readonly #maxLength: number;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get isFull(): boolean {
    return this.items.length >= this.#maxLength;
  }

  add(faults: readonly FieldError[]): void {
    for (const fault of faults) if (!this.isFull) this.items.push(fault);
  }
}

/** Path of a value in the object. The path is formatted only for a fault, because formatting takes time. */
interface ValuePath {
  readonly parent: ValuePath | undefined;
  readonly key: string | number;
  readonly isMapKey?: boolean;
}

function formatPath({ parent, key, isMapKey }: ValuePath): string {
  if (parent === undefined) return String(key);
  return isMapKey ? formatMapKeyPath(formatPath(parent), key) : formatChildPath(formatPath(parent), key);
}

function checkValue(
  faults: FaultList,
  tree: SchemaTree,
  rawValue: unknown,
  old: OldValue | undefined,
  path: ValuePath,
): void {
  const value = nullToUndefined(tree, rawValue);
  if (old !== undefined && value === nullToUndefined(tree, old.value)) return;
  if (value === undefined) {
    checkAbsentValue(faults, tree, path);
    return;
  }
  const faultCountBefore = faults.items.length;
  const children = listChildren(tree, value);
  if (children !== undefined && !hasInvalidLength(tree, value))
    checkChildren(faults, { tree, value, old, path, children });
  else {
    const schema = children === undefined ? tree.schema : buildLengthSchema(tree);
    checkWholeValue(faults, schema, { tree, value, old, path });
  }
  if (tree.hasTransitionRules && faults.items.length === faultCountBefore)
    checkTransitionRules(faults, { tree, value, old, path });
}

function checkAbsentValue(faults: FaultList, tree: SchemaTree, path: ValuePath): void {
  if (tree.canBeAbsent) return;
  faults.add([createRequiredError(formatPath(path), findIssues(tree.schema, undefined)[0]?.message ?? '')]);
}

function checkWholeValue(faults: FaultList, schema: z.core.$ZodType, { tree, value, old, path }: SchemaValue): void {
  const issues = findIssues(schema, value);
  if (issues.length === 0) return;
  if (old !== undefined && isSameJson(value, nullToUndefined(tree, old.value))) return;
  faults.add(issues.filter(isUniqueIssue).map((issue) => toFieldError(issue, formatPath(path), value)));
}

/** zod reports a violated bound such as `max` twice if the type and the field both set the bound. */
function isUniqueIssue({ code }: z.core.$ZodIssue, index: number, issues: readonly z.core.$ZodIssue[]): boolean {
  const isLengthOrRangeIssue = code === 'too_big' || code === 'too_small';
  return !isLengthOrRangeIssue || issues.findIndex((other) => other.code === code) === index;
}

/** Checks the length of a list. A list that is too long is reported without reading its elements. */
function hasInvalidLength({ lengthChecks }: SchemaTree, value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return lengthChecks.some(({ _zod: { def } }) => {
    if ('maximum' in def && value.length > Number(def.maximum)) return true;
    if ('minimum' in def && value.length < Number(def.minimum)) return true;
    return 'length' in def && value.length !== def.length;
  });
}

function buildLengthSchema({ lengthChecks }: SchemaTree): z.core.$ZodType {
  return z.array(z.any()).check(...lengthChecks);
}

interface SchemaValue {
  readonly tree: SchemaTree;
  readonly value: unknown;
  readonly old: OldValue | undefined;
  readonly path: ValuePath;
}

interface ParentValue extends SchemaValue {
  readonly children: readonly ChildValue[];
}

function checkChildren(faults: FaultList, { tree, value, old, path, children }: ParentValue): void {
  const faultCountBefore = faults.items.length;
  for (const child of children) {
    if (faults.isFull) return;
    checkChild(faults, child, { tree, old, path });
  }
  if (!tree.hasRules || (old === undefined && faults.items.length > faultCountBefore)) return;
  if (old !== undefined && isSameJson(value, old.value)) return;
  if (old === undefined) {
    faults.add(findOwnRuleFaults(tree, value, path));
    return;
  }
  const oldFaults = findRuleFaults(tree, old.value, path);
  const isNew = (fault: FieldError) =>
    !oldFaults.some(({ field, message }) => field === fault.field && message === fault.message);
  faults.add(findRuleFaults(tree, value, path).filter(isNew));
}

function checkChild(
  faults: FaultList,
  child: ChildValue,
  { tree, old, path }: Pick<ParentValue, 'tree' | 'old' | 'path'>,
): void {
  const { key, value } = child;
  const oldChild = old && { value: getProperty(old.value, key) };
  if (tree.mapEntry !== undefined && oldChild?.value === undefined) {
    faults.add(findIssues(tree.mapEntry.keys, key).map((issue) => toFieldError(issue, formatPath(path), key)));
  }
  checkValue(faults, child.tree, value, oldChild, { parent: path, key, isMapKey: tree.mapEntry !== undefined });
}

/**
 * Returns an empty list if a field or an element is invalid, because zod then skips the rules of the object or list.
 */
function findRuleFaults(tree: SchemaTree, value: unknown, path: ValuePath): readonly FieldError[] {
  const children = listChildren(tree, value);
  if (children === undefined || hasInvalidLength(tree, value)) return [];
  const childFaults = new FaultList(1);
  for (const child of children) {
    if (childFaults.isFull) return [];
    checkChild(childFaults, child, { tree, old: undefined, path });
  }
  return childFaults.isFull ? [] : findOwnRuleFaults(tree, value, path);
}

function findOwnRuleFaults(tree: SchemaTree, value: unknown, path: ValuePath): readonly FieldError[] {
  const valueWithDefaults = withDefaults(tree, value);
  return findIssues(tree.schema, valueWithDefaults).map((issue) =>
    toFieldError(issue, formatPath(path), valueWithDefaults),
  );
}

/**
 * Checks the rules that compare a value with its old value. Skips the rules if the value or the old value has another
 * fault, because the rules expect valid values. The API server evaluates the rules in any case.
 */
function checkTransitionRules(faults: FaultList, { tree, value, old, path }: SchemaValue): void {
  const oldValue = old && nullToUndefined(tree, old.value);
  const rules = getTransitionRules(tree, value, oldValue).filter(
    ({ optionalOldSelf }) => optionalOldSelf || oldValue !== undefined,
  );
  if (rules.length === 0 || isSameJson(value, oldValue)) return;
  // The API server finds the old element of a list by the keys of the element, and not by the index.
  if (old !== undefined && isInList(path)) return;
  const newValue = withDefaults(tree, value);
  const previousValue = oldValue === undefined ? undefined : withDefaults(tree, oldValue);
  if (findIssues(tree.schema, newValue).length > 0) return;
  if (previousValue !== undefined && findIssues(tree.schema, previousValue).length > 0) return;
  const reason = 'FieldValueInvalid';
  const brokenRules = rules.filter(({ isValid }) => !isValid(newValue, previousValue));
  faults.add(
    brokenRules.map((rule) => ({
      reason,
      field: formatPath(path),
      message: formatMessage(reason, newValue, rule.message),
    })),
  );
}

/** Returns the rules of the value, and of its variant if the old value has the same variant. */
function getTransitionRules(
  { transitionRules, variants }: SchemaTree,
  value: unknown,
  oldValue: unknown,
): readonly TransitionRule[] {
  if (variants === undefined) return transitionRules;
  const getVariant = (each: unknown) => variants.byValue.get(getProperty(each, variants.discriminator));
  const variant = getVariant(value);
  const hasSameVariant = oldValue === undefined || getVariant(oldValue) === variant;
  return hasSameVariant && variant !== undefined ? [...transitionRules, ...variant.transitionRules] : transitionRules;
}

function isInList(path: ValuePath): boolean {
  return typeof path.key === 'number' || (path.parent !== undefined && isInList(path.parent));
}
