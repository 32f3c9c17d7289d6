/**
 * Finds the faults of a value according to its zod schema.
 *
 * A single call of zod would report all faults, and a list may have a million faults. This code traverses the value and
 * its schema together instead. It stops after a limit, and it skips fields that an update does not change.
 */
import { z } from 'zod';
import type { FieldError } from '../kubernetes/field-error.ts';
import { withDefaults } from './defaults.ts';
import { childPath, findIssues, formatMessage, mapKeyPath, requiredError, toFieldError } from './issue-messages.ts';
import { isSameJson } from './same-json.ts';
import { getProperty, listParts, nullToAbsent, type SchemaTree, type ValuePart } from './schema-tree.ts';

/**
 * Maximum number of reported faults, because a webhook response has the same limit (docs/adr/0021-webhook-limits.md).
 */
export const MAX_FAULTS = 50;

export interface ValueToCheck {
  readonly tree: SchemaTree;
  readonly value: unknown;
  /** The value before an update. Absent for a create. */
  readonly old?: OldValue | undefined;
  readonly field: string;
}

interface OldValue {
  readonly value: unknown;
}

/**
 * Returns at most {@link MAX_FAULTS} faults of the value. If there are more, the last fault says that the list is
 * incomplete.
 */
export function findFaults({ tree, value, old, field }: ValueToCheck): readonly FieldError[] {
  const faults = new Faults(MAX_FAULTS + 1);
  checkValue(faults, tree, value, old, { parent: undefined, key: field });
  if (!faults.isFull) return faults.found;
  const reason = 'FieldValueInvalid';
  const message = formatMessage(reason, value, 'too many errors to show all of them');
  return [...faults.found.slice(0, MAX_FAULTS - 1), { reason, field, message }];
}

class Faults {
  readonly found: FieldError[] = [];
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.found.length >= this.#max;
  }

  add(faults: readonly FieldError[]): void {
    for (const fault of faults) if (!this.isFull) this.found.push(fault);
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
  return isMapKey ? mapKeyPath(formatPath(parent), key) : childPath(formatPath(parent), key);
}

function checkValue(
  faults: Faults,
  tree: SchemaTree,
  rawValue: unknown,
  old: OldValue | undefined,
  path: ValuePath,
): void {
  const value = nullToAbsent(tree, rawValue);
  const isSame = () => old !== undefined && isSameJson(value, nullToAbsent(tree, old.value));
  if (old !== undefined && value === nullToAbsent(tree, old.value)) return;
  if (value === undefined) {
    if (!tree.mayBeAbsent)
      faults.add([requiredError(formatPath(path), findIssues(tree.schema, undefined)[0]?.message ?? '')]);
    return;
  }
  const parts = listParts(tree, value);
  if (parts !== undefined && !hasInvalidLength(tree, value)) {
    checkParts(faults, { tree, value, old, path, parts });
    return;
  }
  const issues = findIssues(parts === undefined ? tree.schema : buildLengthSchema(tree), value);
  if (issues.length === 0 || isSame()) return;
  faults.add(issues.filter(isFirstBound).map((issue) => toFieldError(issue, formatPath(path), value)));
}

/** Returns false for a duplicate. zod reports `min` and `max` twice if the type and the field both have the limit. */
function isFirstBound({ code }: z.core.$ZodIssue, index: number, issues: readonly z.core.$ZodIssue[]): boolean {
  const isBound = code === 'too_big' || code === 'too_small';
  return !isBound || issues.findIndex((other) => other.code === code) === index;
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

interface ParentValue {
  readonly tree: SchemaTree;
  readonly value: unknown;
  readonly old: OldValue | undefined;
  readonly path: ValuePath;
  readonly parts: readonly ValuePart[];
}

function checkParts(faults: Faults, { tree, value, old, path, parts }: ParentValue): void {
  const countBefore = faults.found.length;
  for (const part of parts) {
    if (faults.isFull) return;
    checkPart(faults, part, { tree, old, path });
  }
  if (!tree.hasRules || (old === undefined && faults.found.length > countBefore)) return;
  if (old !== undefined && isSameJson(value, old.value)) return;
  if (old === undefined) {
    faults.add(checkRules(tree, value, path));
    return;
  }
  const before = findRuleFaults(tree, old.value, path);
  const isNew = (fault: FieldError) =>
    !before.some(({ field, message }) => field === fault.field && message === fault.message);
  faults.add(findRuleFaults(tree, value, path).filter(isNew));
}

function checkPart(
  faults: Faults,
  part: ValuePart,
  { tree, old, path }: Pick<ParentValue, 'tree' | 'old' | 'path'>,
): void {
  const { key, value } = part;
  const oldPart = old && { value: getProperty(old.value, key) };
  if (tree.entry !== undefined && oldPart?.value === undefined) {
    faults.add(findIssues(tree.entry.keys, key).map((issue) => toFieldError(issue, formatPath(path), key)));
  }
  checkValue(faults, part.tree, value, oldPart, { parent: path, key, isMapKey: tree.entry !== undefined });
}

/**
 * Returns the faults from rules on an object or a list. If a field or an element is invalid, zod skips these rules, so
 * the result is empty.
 */
function findRuleFaults(tree: SchemaTree, value: unknown, path: ValuePath): readonly FieldError[] {
  const parts = listParts(tree, value);
  if (parts === undefined || hasInvalidLength(tree, value)) return [];
  const first = new Faults(1);
  for (const part of parts) {
    if (first.isFull) return [];
    checkPart(first, part, { tree, old: undefined, path });
  }
  return first.isFull ? [] : checkRules(tree, value, path);
}

function checkRules(tree: SchemaTree, value: unknown, path: ValuePath): readonly FieldError[] {
  const completed = withDefaults(tree, value);
  return findIssues(tree.schema, completed).map((issue) => toFieldError(issue, formatPath(path), completed));
}
