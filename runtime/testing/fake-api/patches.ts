/** The three types of patches that controllers send, on plain JSON. */
import { isDeepStrictEqual } from 'node:util';
import type { JsonPatchOperation } from '../../client/patch.ts';
import { isRecord } from '../../kubernetes/is-record.ts';
import type { JsonObject } from './object-store.ts';
import { Refusal } from './refusal.ts';

/** RFC 7396. */
export function mergePatch(target: unknown, change: unknown): unknown {
  if (!isRecord(change)) return change;
  const result: Record<string, unknown> = { ...(isRecord(target) ? target : {}) };
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}

/**
 * Returns `target` without the fields that `before` names and `now` does not: the fields that a field manager gives up
 * when it applies again. A list is one value.
 */
export function givenUp(target: unknown, before: unknown, now: unknown): unknown {
  if (!isRecord(target) || !isRecord(before) || !isRecord(now)) return target;
  const kept = Object.entries(target).filter(([name]) => name in now || !(name in before));
  return Object.fromEntries(kept.map(([name, value]) => [name, givenUp(value, before[name], now[name])]));
}

/** RFC 6902. Throws a 422 when an operation does not match the document. */
export function jsonPatch(target: unknown, operations: readonly JsonPatchOperation[]): unknown {
  return operations.reduce(applied, target);
}

function applied(document: unknown, operation: JsonPatchOperation): unknown {
  const path = stepsOf(operation.path);
  switch (operation.op) {
    case 'test':
      if (isDeepStrictEqual(at(document, path), operation.value)) return document;
      throw new Refusal(422, `testing value ${operation.path} failed`);
    case 'add':
      return changed(document, path, { insert: operation.value });
    case 'replace':
      at(document, path);
      return changed(document, path, { set: operation.value });
    case 'remove':
      at(document, path);
      return changed(document, path, 'remove');
    case 'copy':
      return changed(document, path, { insert: at(document, stepsOf(operation.from)) });
    case 'move': {
      const from = stepsOf(operation.from);
      return changed(changed(document, from, 'remove'), path, { insert: at(document, from) });
    }
  }
}

type Edit = 'remove' | { readonly set: unknown } | { readonly insert: unknown };

function stepsOf(pointer: string): readonly string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function at(document: unknown, path: readonly string[]): unknown {
  return path.reduce((value, step) => {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, step);
    if (!isThere) throw new Refusal(422, `the document has no /${path.join('/')}`);
    return (value as JsonObject)[step]; // an object or a list with this key
  }, document);
}

/** Returns a copy of `document` with the edit at `path`. */
function changed(document: unknown, [step, ...rest]: readonly string[], edit: Edit): unknown {
  if (step === undefined) return edit === 'remove' ? undefined : Object.values(edit)[0];
  if (Array.isArray(document)) return changedList(document, step, rest, edit);
  if (!isRecord(document)) throw new Refusal(422, `the document has no ${step}`);
  const { [step]: value, ...others } = document;
  if (rest.length === 0 && edit === 'remove') return others;
  return { ...document, [step]: changed(value, rest, edit) };
}

function changedList(list: readonly unknown[], step: string, rest: readonly string[], edit: Edit): readonly unknown[] {
  const index = step === '-' ? list.length : Number(step);
  if (rest.length > 0) return list.with(index, changed(list[index], rest, edit));
  if (edit === 'remove') return list.toSpliced(index, 1);
  return 'insert' in edit ? list.toSpliced(index, 0, edit.insert) : list.with(index, edit.set);
}
