/** Converts the nodes of a YAML document to JSON by the rules of go-yaml v2 (`decode.go`) and sigs.k8s.io/yaml. */
import {
  CORE_TAG_PREFIX,
  MAX_DEPTH,
  type YamlAlias,
  type YamlMapping,
  type YamlNode,
  type YamlScalar,
  type YamlSequence,
} from './compose.ts';
import { MAX_INT64, type ResolvedScalar, resolvePlainScalar, resolveTaggedScalar } from './resolve-scalar.ts';
import { YamlError } from './yaml-error.ts';

/**
 * Converts a node to a JSON value. The last value of a duplicate key wins. Integers above 2^53 are rounded, as in
 * JSON.parse. Throws a {@link YamlError} for a value that JSON cannot represent.
 */
export function toJsonValue(node: YamlNode): unknown {
  const value = new JsonConverter().convert(node);
  if (value instanceof UnrepresentableValue) throw value.error;
  return value;
}

/** A value that JSON cannot represent. The error is thrown later, because a duplicate key may replace the value. */
class UnrepresentableValue {
  readonly error: YamlError;

  constructor(message: string, offset: number) {
    this.error = new YamlError(message, offset);
  }
}

function isUnrepresentable(value: unknown): boolean {
  return value instanceof UnrepresentableValue;
}

/** Returns the name of a JSON field, or `undefined` for a YAML key that JSON cannot represent. */
export function getKeyName(key: YamlNode): string | undefined {
  if (key.kind === 'alias') return getKeyName(key.target);
  if (key.kind !== 'scalar') return undefined;
  const resolvedScalar = resolveScalar(key);
  switch (resolvedScalar?.type) {
    case 'str':
      return resolvedScalar.value;
    case 'bool':
      return String(resolvedScalar.value);
    case 'int':
      return resolvedScalar.value > MAX_INT64 ? undefined : String(resolvedScalar.value);
    case 'float':
      return formatFloat(resolvedScalar.value);
    default:
      return undefined;
  }
}

/** Returns whether the key is `<<`, which merges the fields of another mapping. */
export function isMergeKey(key: YamlNode): boolean {
  if (key.kind !== 'scalar' || key.text !== '<<') return false;
  return key.tag === undefined ? key.isPlain : ['!', `${CORE_TAG_PREFIX}merge`].includes(key.tag);
}

/**
 * Returns the mappings in the value of `<<`, in order of precedence. Throws a {@link YamlError} if the value is neither
 * a mapping nor a list of mappings.
 */
export function getMergedMappings(value: YamlNode): readonly (YamlMapping | YamlAlias)[] {
  const values = value.kind === 'sequence' ? value.items : [value];
  return values.map((each) => {
    if (each.kind === 'mapping' || (each.kind === 'alias' && each.target.kind === 'mapping')) return each;
    throw new YamlError('"<<" takes a mapping, or a list of mappings', each.start);
  });
}

const INVALID_KEY = Symbol('a key that JSON cannot represent');

/** In a document with at most 1,000 nodes, the ratio of nodes in aliases is not checked. */
const MAX_UNCHECKED_NODES = 1000;
const MAX_UNCHECKED_ALIASED_NODES = 100;

class JsonConverter {
  /** Aliases that enclose the current node, to detect an alias that contains itself. */
  readonly #openAliases = new Set<YamlAlias>();
  #nodeCount = 0;
  #aliasedNodeCount = 0;
  #depth = 0;

  convert(node: YamlNode): unknown {
    this.#countNode(node);
    if (node.kind === 'scalar') return toScalarValue(node);
    // With aliases, a value can be nested more deeply than the text of its document.
    if (this.#depth >= MAX_DEPTH) throw new YamlError('aliases nest the value too deeply', node.start);
    this.#depth++;
    const value = this.#convertCollection(node);
    this.#depth--;
    return value;
  }

  #convertCollection(node: YamlSequence | YamlMapping | YamlAlias): unknown {
    switch (node.kind) {
      case 'alias':
        return this.#followAlias(node, () => this.convert(node.target));
      case 'sequence':
        return this.#convertList(node);
      case 'mapping':
        return this.#convertObject(node);
    }
  }

  #convertList({ items }: YamlSequence): unknown {
    const values = items.map((item) => this.convert(item));
    return values.find(isUnrepresentable) ?? values;
  }

  #convertObject(node: YamlMapping): unknown {
    const entries = new Map<PropertyKey, unknown>();
    this.#addEntries(node, entries);
    return [...entries.values()].find(isUnrepresentable) ?? Object.fromEntries(entries);
  }

  #addEntries(node: YamlMapping, entries: Map<PropertyKey, unknown>): void {
    for (const { key, value } of node.entries) {
      if (isMergeKey(key)) this.#mergeMappings(value, entries);
      else {
        const name = this.#convertKey(key);
        const convertedValue = this.convert(value);
        entries.set(
          name ?? INVALID_KEY,
          name === undefined
            ? new UnrepresentableValue('a key must be a string, a number or a boolean', key.start)
            : convertedValue,
        );
      }
    }
  }

  /** Returns `undefined` for a key such as null. Throws an error for a list or a mapping. */
  #convertKey(key: YamlNode): string | undefined {
    this.convert(key);
    const { kind, start } = key.kind === 'alias' ? key.target : key;
    if (kind !== 'scalar') throw new YamlError('a list or a mapping cannot be a key', start);
    return getKeyName(key);
  }

  /** Merges mappings. A merge overwrites earlier keys of the mapping, as in go-yaml. */
  #mergeMappings(value: YamlNode, entries: Map<PropertyKey, unknown>): void {
    for (const each of getMergedMappings(value).toReversed()) {
      this.#countNode(each);
      if (each.kind === 'mapping') this.#addEntries(each, entries);
      else if (each.target.kind === 'mapping') {
        const { target } = each;
        this.#followAlias(each, () => this.#addEntries(target, entries));
      }
    }
  }

  #followAlias<T>(alias: YamlAlias, read: () => T): T {
    if (this.#openAliases.has(alias))
      throw new YamlError('the alias is part of the value that it references', alias.start);
    this.#openAliases.add(alias);
    const result = read();
    this.#openAliases.delete(alias);
    return result;
  }

  /** Limits the ratio of nodes in aliases, because a few lines of nested aliases could exhaust the memory. */
  #countNode({ start }: YamlNode): void {
    this.#nodeCount++;
    if (this.#openAliases.size > 0) this.#aliasedNodeCount++;
    if (this.#nodeCount <= MAX_UNCHECKED_NODES || this.#aliasedNodeCount <= MAX_UNCHECKED_ALIASED_NODES) return;
    if (this.#aliasedNodeCount / this.#nodeCount > getMaxAliasRatio(this.#nodeCount)) {
      throw new YamlError('the document has too many aliases', start);
    }
  }
}

/** Returns the limit of go-yaml: 99 % of the nodes of a small document, 10 % of the nodes of a large document. */
function getMaxAliasRatio(nodeCount: number): number {
  const [small, large] = [400_000, 4_000_000];
  return 0.99 - 0.89 * Math.min(1, Math.max(0, (nodeCount - small) / (large - small)));
}

function resolveScalar({ text, isPlain, tag }: YamlScalar): ResolvedScalar | undefined {
  if (tag === undefined) return isPlain ? resolvePlainScalar(text) : { type: 'str', value: text };
  return tag.startsWith(CORE_TAG_PREFIX)
    ? resolveTaggedScalar(tag.slice(CORE_TAG_PREFIX.length), text)
    : { type: 'str', value: text };
}

function toScalarValue(scalar: YamlScalar): unknown {
  const resolvedScalar = resolveScalar(scalar);
  if (resolvedScalar === undefined) throw new YamlError('the value is invalid for its tag', scalar.start);
  if (resolvedScalar.type === 'null') return null;
  if (resolvedScalar.type === 'int') return toNumber(resolvedScalar.value);
  if (resolvedScalar.type === 'float' && !Number.isFinite(resolvedScalar.value)) {
    return new UnrepresentableValue(
      'JSON cannot represent this number; put it in quotes if it is a string',
      scalar.start,
    );
  }
  return resolvedScalar.value;
}

/** A signed 64-bit integer must not be rounded up to 2^63, which Kubernetes would treat as a float. */
function toNumber(value: bigint): number {
  return value > MAX_INT64 ? Number(value) : Math.min(Number(value), MAX_INT64_NUMBER);
}

const MAX_INT64_NUMBER = 2 ** 63 - 1024;

/** Formats a number like Go's `strconv.FormatFloat(value, 'g', -1, 32)`. */
function formatFloat(value: number): string {
  if (Object.is(value, -0)) return '-0';
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(Math.fround(value))) return value > 0 ? '.inf' : '-.inf';
  const float32 = Math.fround(value);
  const precisions = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const precision = precisions.find((each) => Math.fround(Number(float32.toPrecision(each))) === float32) ?? 9;
  const [digits = '', exponent = '0'] = float32.toExponential(precision - 1).split('e');
  const isDecimalNotation = Number(exponent) >= -4 && Number(exponent) < 6;
  if (isDecimalNotation) return String(Number(float32.toPrecision(precision)));
  return `${digits}e${exponent.startsWith('-') ? '-' : '+'}${exponent.replace(/[-+]/, '').padStart(2, '0')}`;
}
