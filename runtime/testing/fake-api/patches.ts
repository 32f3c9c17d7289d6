/** Applies patches to objects: JSON merge patches, JSON patches and server-side apply. */
import { isDeepStrictEqual } from 'node:util';
import type { JsonPatchOperation } from '../../client/patch.ts';
import { isRecord } from '../../kubernetes/is-record.ts';
import type { JsonObject } from './object-types.ts';
import { StatusError } from './status-error.ts';

/** Applies a JSON merge patch (RFC 7396). */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = { ...(isRecord(target) ? target : {}) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = applyMergePatch(result[name], value);
  }
  return result;
}

/**
 * Removes from `target` the fields that `lastConfiguration` contains and `configuration` omits, because server-side
 * apply removes fields that a field manager no longer applies. Lists are compared as a whole.
 */
export function removeUnappliedFields(target: unknown, lastConfiguration: unknown, configuration: unknown): unknown {
  if (!isRecord(target) || !isRecord(lastConfiguration) || !isRecord(configuration)) return target;
  const remaining = Object.entries(target).filter(([name]) => name in configuration || !(name in lastConfiguration));
  return Object.fromEntries(
    remaining.map(([name, value]) => [
      name,
      removeUnappliedFields(value, lastConfiguration[name], configuration[name]),
    ]),
  );
}

/** Applies a JSON patch (RFC 6902). Throws a StatusError with 422 if an operation fails. */
export function applyJsonPatch(target: unknown, operations: readonly JsonPatchOperation[]): unknown {
  return operations.reduce(applyOperation, target);
}

function applyOperation(document: unknown, operation: JsonPatchOperation): unknown {
  const path = parsePointer(operation.path);
  switch (operation.op) {
    case 'test':
      if (isDeepStrictEqual(getValueAt(document, path), operation.value)) return document;
      throw new StatusError(422, `testing value ${operation.path} failed`);
    case 'add':
      return editValueAt(document, path, { insert: operation.value });
    case 'replace': // a real API server also adds a missing field
      return editValueAt(document, path, { set: operation.value });
    case 'remove':
      getValueAt(document, path);
      return editValueAt(document, path, 'remove');
    case 'copy':
      return editValueAt(document, path, { insert: getValueAt(document, parsePointer(operation.from)) });
    case 'move': {
      const from = parsePointer(operation.from);
      return editValueAt(editValueAt(document, from, 'remove'), path, { insert: getValueAt(document, from) });
    }
  }
}

type ValueEdit = 'remove' | { readonly set: unknown } | { readonly insert: unknown };

function parsePointer(pointer: string): readonly string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function getValueAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce((value, step) => {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, step);
    if (!isThere) throw new StatusError(422, `the document has no /${path.join('/')}`);
    return (value as JsonObject)[step];
  }, document);
}

function editValueAt(document: unknown, [step, ...remainingPath]: readonly string[], edit: ValueEdit): unknown {
  if (step === undefined) return edit === 'remove' ? undefined : Object.values(edit)[0];
  if (Array.isArray(document)) return editList(document, step, remainingPath, edit);
  if (!isRecord(document)) throw new StatusError(422, `the document has no ${step}`);
  const { [step]: value, ...others } = document;
  if (remainingPath.length === 0 && edit === 'remove') return others;
  return { ...document, [step]: editValueAt(value, remainingPath, edit) };
}

function editList(
  list: readonly unknown[],
  step: string,
  remainingPath: readonly string[],
  edit: ValueEdit,
): readonly unknown[] {
  const index = step === '-' ? list.length : Number(step);
  if (!('insert' in Object(edit)) && index >= list.length)
    throw new StatusError(422, `the list has no element ${step}`);
  if (remainingPath.length > 0) return list.with(index, editValueAt(list[index], remainingPath, edit));
  if (edit === 'remove') return list.toSpliced(index, 1);
  return 'insert' in edit ? list.toSpliced(index, 0, edit.insert) : list.with(index, edit.set);
}
