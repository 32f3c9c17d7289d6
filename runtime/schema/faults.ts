/**
 * Finds the faults of a value by its zod schema.
 *
 * It does not use a single call of zod, which reports everything, because a list may have a million faults. It walks
 * the value together with its schema, so that it can end early and skip the parts that an update does not change.
 */
import { z } from 'zod';
import type { FieldError } from '../kubernetes/field-error.ts';
import { withDefaults } from './defaults.ts';
import { fieldBelow, fieldErrorOf, issuesOf, keyBelow, messageOf, missing } from './fault-words.ts';
import { isSameJson } from './same-json.ts';
import { type Part, partsOf, presentValue, type SchemaTree, valueAt } from './schema-tree.ts';

/** The limit of causes in a Status (docs/adr/0021-webhook-limits.md). */
export const MAX_FAULTS = 50;

export interface Place {
  readonly tree: SchemaTree;
  readonly value: unknown;
  /** The value before an update. Absent on create. */
  readonly old?: Old | undefined;
  /** Path of the value in the object. */
  readonly field: string;
}

interface Old {
  readonly value: unknown;
}

/** Returns the faults of the value; beyond {@link MAX_FAULTS}, only the first ones and a last one that says so. */
export function faultsOf({ tree, value, old, field }: Place): readonly FieldError[] {
  const faults = new Faults(MAX_FAULTS + 1);
  find(faults, tree, value, old, { above: undefined, key: field });
  if (!faults.isFull) return faults.found;
  const reason = 'FieldValueInvalid';
  const message = messageOf(reason, value, 'it has more errors, which are not shown');
  return [...faults.found.slice(0, MAX_FAULTS - 1), { reason, field, message }];
}

/** The faults found, up to the number at which the search stops. */
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

/** Location of a value. Formatted only when there is a fault to report. */
interface Path {
  readonly above: Path | undefined;
  readonly key: string | number;
  /** The key belongs to a map. */
  readonly isMapKey?: boolean;
}

function fieldOf({ above, key, isMapKey }: Path): string {
  if (above === undefined) return String(key);
  return isMapKey ? keyBelow(fieldOf(above), key) : fieldBelow(fieldOf(above), key);
}

function find(faults: Faults, tree: SchemaTree, given: unknown, old: Old | undefined, path: Path): void {
  const value = presentValue(tree, given);
  const isSame = () => old !== undefined && isSameJson(value, presentValue(tree, old.value));
  if (old !== undefined && value === presentValue(tree, old.value)) return;
  if (value === undefined) {
    if (!tree.mayBeAbsent) faults.add([missing(fieldOf(path), issuesOf(tree.schema, undefined)[0]?.message ?? '')]);
    return;
  }
  const parts = partsOf(tree, value);
  if (parts !== undefined && !isLengthWrong(tree, value)) {
    findInParts(faults, { tree, value, old, path, parts });
    return;
  }
  const issues = issuesOf(parts === undefined ? tree.schema : lengthSchemaOf(tree), value);
  if (issues.length === 0 || isSame()) return;
  faults.add(issues.filter(isFirst).map((issue) => fieldErrorOf(issue, fieldOf(path), value)));
}

/** zod may report `min` and `max` twice for one value: by its type and by the field. */
function isFirst({ code }: z.core.$ZodIssue, index: number, issues: readonly z.core.$ZodIssue[]): boolean {
  const isBound = code === 'too_big' || code === 'too_small';
  return !isBound || issues.findIndex((other) => other.code === code) === index;
}

/** Checked before the elements: a list that is too long is not read. */
function isLengthWrong({ lengthChecks }: SchemaTree, value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return lengthChecks.some(({ _zod: { def } }) => {
    if ('maximum' in def && value.length > Number(def.maximum)) return true;
    if ('minimum' in def && value.length < Number(def.minimum)) return true;
    return 'length' in def && value.length !== def.length;
  });
}

function lengthSchemaOf({ lengthChecks }: SchemaTree): z.core.$ZodType {
  return z.array(z.any()).check(...lengthChecks);
}

interface Whole {
  readonly tree: SchemaTree;
  readonly value: unknown;
  readonly old: Old | undefined;
  readonly path: Path;
  readonly parts: readonly Part[];
}

function findInParts(faults: Faults, { tree, value, old, path, parts }: Whole): void {
  const foundBefore = faults.found.length;
  for (const part of parts) {
    if (faults.isFull) return;
    findInPart(faults, part, { tree, old, path });
  }
  if (!tree.hasRules || (old === undefined && faults.found.length > foundBefore)) return;
  if (old !== undefined && isSameJson(value, old.value)) return;
  if (old === undefined) {
    faults.add(askRules(tree, value, path));
    return;
  }
  const before = brokenRules(tree, old.value, path);
  const isNew = (fault: FieldError) =>
    !before.some(({ field, message }) => field === fault.field && message === fault.message);
  faults.add(brokenRules(tree, value, path).filter(isNew));
}

function findInPart(faults: Faults, part: Part, { tree, old, path }: Pick<Whole, 'tree' | 'old' | 'path'>): void {
  const { key, value } = part;
  const oldPart = old && { value: valueAt(old.value, key) };
  if (tree.entry !== undefined && oldPart?.value === undefined) {
    faults.add(issuesOf(tree.entry.keys, key).map((issue) => fieldErrorOf(issue, fieldOf(path), key)));
  }
  find(faults, part.tree, value, oldPart, { above: path, key, isMapKey: tree.entry !== undefined });
}

/** Returns the faults from rules on the whole value, if its parts are valid; like zod, it skips the rules otherwise. */
function brokenRules(tree: SchemaTree, value: unknown, path: Path): readonly FieldError[] {
  const parts = partsOf(tree, value);
  if (parts === undefined || isLengthWrong(tree, value)) return [];
  const first = new Faults(1);
  for (const part of parts) {
    if (first.isFull) return [];
    findInPart(first, part, { tree, old: undefined, path });
  }
  return first.isFull ? [] : askRules(tree, value, path);
}

/** The rules get the parts with their defaults. */
function askRules(tree: SchemaTree, value: unknown, path: Path): readonly FieldError[] {
  const completed = withDefaults(tree, value);
  return issuesOf(tree.schema, completed).map((issue) => fieldErrorOf(issue, fieldOf(path), completed));
}
