/** Reads manifests as kubectl does: YAML or JSON, many documents in one text. */
import {
  getKeyName,
  isMergeKey,
  toJsonValue,
  YamlError,
  type YamlMapping,
  type YamlNode,
} from 'controller-runtime/yaml';
import { isRecord } from '../../../api/v1/raw-object.ts';
import { documentsIn, type FoundDocument } from './documents.ts';
import type { Fault } from './problem.ts';

/** An object in a manifest. */
export interface Manifest {
  readonly kind: 'manifest';
  readonly value: unknown;
  readonly document: YamlNode;
  /** Path in the document, such as `items[2]`; empty for the document itself. */
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

export type FoundManifest =
  | Manifest
  | ({ readonly kind: 'fault'; readonly start: number; readonly end: number } & Fault);

/** Never throws, whatever the text. Skips documents that are null. A fault prevents its document from being read. */
export function* manifestsIn(text: string): Generator<FoundManifest> {
  for (const found of documentsIn(text)) {
    if (found.kind === 'unreadable') yield faultOf(found, found.error);
    else yield* manifestsOf(found, found.root);
  }
}

function faultOf({ start, end }: FoundDocument, { message, offset }: YamlError): FoundManifest {
  return { kind: 'fault', message, offset, start, end };
}

function* manifestsOf(found: FoundDocument, document: YamlNode): Generator<FoundManifest> {
  let value: unknown;
  try {
    value = toJsonValue(document);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    yield faultOf(found, error);
    return;
  }
  if (value === null) return;
  const { start, end } = found;
  for (const object of objectsIn(value)) yield { kind: 'manifest', document, start, end, ...object };
}

/** The object itself, or the items of a list. */
function objectsIn(value: unknown): readonly Pick<Manifest, 'value' | 'path'>[] {
  const { apiVersion, kind, items } = isRecord(value) ? value : {};
  if (!Array.isArray(items)) return [{ value, path: '' }];
  // The API server lists objects without their kind.
  const missing = { apiVersion, kind: typeof kind === 'string' ? kind.replace(/List$/, '') : kind };
  return items.map((item, index) => {
    const isNamed = !isRecord(item) || Boolean(item['kind'] || item['apiVersion']);
    return { value: isNamed ? item : { ...item, ...missing }, path: `items[${index}]` };
  });
}

/** Keys that a mapping of the document has twice. kubectl silently uses the last one. */
export function* repeatedKeys(node: YamlNode): Generator<Fault> {
  if (node.kind === 'sequence') for (const item of node.items) yield* repeatedKeys(item);
  if (node.kind === 'mapping') yield* repeatedIn(node);
}

function* repeatedIn({ entries }: YamlMapping): Generator<Fault> {
  const known = new Set<string>();
  for (const { key, value } of entries) {
    const name = getKeyName(key);
    // A merge may be repeated.
    if (name !== undefined && !isMergeKey(key)) {
      if (known.has(name)) yield { offset: key.start, message: repeated(name) };
      known.add(name);
    }
    yield* repeatedKeys(value);
  }
}

function repeated(name: string): string {
  return `duplicate key ${JSON.stringify(name)}: only the last one counts; remove one`;
}
