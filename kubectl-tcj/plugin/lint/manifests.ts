/** Reads all YAML or JSON documents of a text in the same way as kubectl. */
import {
  getKeyName,
  isMergeKey,
  toJsonValue,
  YamlError,
  type YamlMapping,
  type YamlNode,
} from 'controller-runtime/yaml';
import { isRecord, valueAt } from '../../../api/v1/raw-object.ts';
import { findFieldOffset } from './field-offset.ts';
import { type DocumentOrError, parseDocuments } from './parse-documents.ts';
import type { TextFault } from './problem.ts';

/** An object in a manifest. */
export interface ManifestObject {
  readonly kind: 'manifest';
  readonly value: unknown;
  readonly document: YamlNode;
  /** The path in the document, such as `items[2]`, or an empty string for the document itself. */
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

export type ManifestOrFault =
  | ManifestObject
  | ({ readonly kind: 'fault'; readonly start: number; readonly end: number } & TextFault);

/** Never throws. Skips empty documents. Yields a fault for each unreadable document. */
export function* readManifests(text: string): Generator<ManifestOrFault> {
  for (const document of parseDocuments(text)) {
    if (document.kind === 'unreadable') yield toFault(document, document.error);
    else yield* readObjects(document, document.root);
  }
}

function toFault({ start, end }: DocumentOrError, { message, offset }: YamlError): ManifestOrFault {
  return { kind: 'fault', message, offset, start, end };
}

function* readObjects(range: DocumentOrError, document: YamlNode): Generator<ManifestOrFault> {
  let value: unknown;
  try {
    value = toJsonValue(document);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    yield toFault(range, error);
    return;
  }
  if (value === null) return;
  const { start, end } = range;
  for (const object of listObjects(value)) {
    if (object.path === '' || isRecord(object.value) || !isList(value))
      yield { kind: 'manifest', document, start, end, ...object };
    else yield toFault(range, new YamlError(ITEM_MESSAGE, findFieldOffset(document, object.path)));
  }
}

const ITEM_MESSAGE = 'this item is not an object, so kubectl refuses the whole list; remove the item';

function isList(value: unknown): boolean {
  const kind = valueAt(value, 'kind');
  return typeof kind === 'string' && kind.endsWith('List');
}

/** Returns the items of a list, or the object itself. */
function listObjects(value: unknown): readonly Pick<ManifestObject, 'value' | 'path'>[] {
  const { apiVersion, kind, items } = isRecord(value) ? value : {};
  if (!Array.isArray(items)) return [{ value, path: '' }];
  // The API server omits the kind of objects in a list.
  const inheritedType = { apiVersion, kind: typeof kind === 'string' ? kind.replace(/List$/, '') : kind };
  return items.map((item, index) => {
    const hasType = !isRecord(item) || Boolean(item['kind'] || item['apiVersion']);
    return { value: hasType ? item : { ...item, ...inheritedType }, path: `items[${index}]` };
  });
}

/**
 * Finds duplicate keys in the mappings of a document. For a duplicate key, kubectl silently uses the last value. If a document has
 * two objects, only the first duplicate key is a fault.
 */
export function* findDuplicatesInDocument(document: YamlNode): Generator<TextFault> {
  const secondObject = document.kind === 'mapping' ? findSecondObject(document) : undefined;
  if (secondObject === undefined) yield* findDuplicateKeys(document);
  else yield { offset: secondObject, message: SECOND_OBJECT_MESSAGE };
}

const SECOND_OBJECT_MESSAGE = 'kubectl ignores the object above this line; put a line with --- before it';

/** Returns the offset of the first duplicate key of a mapping that has two versions and two kinds. */
function findSecondObject({ entries }: YamlMapping): number | undefined {
  const names = entries.map(({ key }) => getKeyName(key));
  const isDuplicated = (name: string) => names.indexOf(name) !== names.lastIndexOf(name);
  if (!isDuplicated('apiVersion') || !isDuplicated('kind')) return undefined;
  return entries.find((_, index) => names.indexOf(names[index]) < index)?.key.start;
}

function* findDuplicateKeys(node: YamlNode): Generator<TextFault> {
  if (node.kind === 'sequence') for (const item of node.items) yield* findDuplicateKeys(item);
  if (node.kind === 'mapping') yield* findDuplicatesIn(node);
}

function* findDuplicatesIn({ entries }: YamlMapping): Generator<TextFault> {
  const names = new Set<string>();
  for (const { key, value } of entries) {
    const name = getKeyName(key);
    // YAML allows several merge keys in a mapping.
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
