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
import { type ParsedDocument, parseDocuments } from './documents.ts';
import type { TextFault } from './problem.ts';

/** An object in a manifest. */
export interface ManifestObject {
  readonly kind: 'manifest';
  readonly value: unknown;
  readonly document: YamlNode;
  /** Path in the document, such as `items[2]`; empty for the document itself. */
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

export type ManifestOrFault =
  | ManifestObject
  | ({ readonly kind: 'fault'; readonly start: number; readonly end: number } & TextFault);

/** Never throws. Skips documents that are null. A fault prevents its document from being read. */
export function* readManifests(text: string): Generator<ManifestOrFault> {
  for (const found of parseDocuments(text)) {
    if (found.kind === 'unreadable') yield toFault(found, found.error);
    else yield* readObjects(found, found.root);
  }
}

function toFault({ start, end }: ParsedDocument, { message, offset }: YamlError): ManifestOrFault {
  return { kind: 'fault', message, offset, start, end };
}

function* readObjects(found: ParsedDocument, document: YamlNode): Generator<ManifestOrFault> {
  let value: unknown;
  try {
    value = toJsonValue(document);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    yield toFault(found, error);
    return;
  }
  if (value === null) return;
  const { start, end } = found;
  for (const object of listObjects(value)) yield { kind: 'manifest', document, start, end, ...object };
}

/** The object itself, or the items of a list. */
function listObjects(value: unknown): readonly Pick<ManifestObject, 'value' | 'path'>[] {
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
export function* findDuplicateKeys(node: YamlNode): Generator<TextFault> {
  if (node.kind === 'sequence') for (const item of node.items) yield* findDuplicateKeys(item);
  if (node.kind === 'mapping') yield* findDuplicatesIn(node);
}

function* findDuplicatesIn({ entries }: YamlMapping): Generator<TextFault> {
  const names = new Set<string>();
  for (const { key, value } of entries) {
    const name = getKeyName(key);
    // A merge may be repeated.
    if (name !== undefined && !isMergeKey(key)) {
      if (names.has(name)) yield { offset: key.start, message: describeDuplicate(name) };
      names.add(name);
    }
    yield* findDuplicateKeys(value);
  }
}

function describeDuplicate(name: string): string {
  return `duplicate key ${JSON.stringify(name)}: only the last one counts; remove one`;
}
