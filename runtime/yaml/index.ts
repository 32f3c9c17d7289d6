/** A YAML parser with the same results as kubectl. */
export {
  composeYaml,
  MAX_DEPTH,
  MAX_NODES,
  type YamlAlias,
  type YamlEntry,
  type YamlMapping,
  type YamlNode,
  type YamlScalar,
  type YamlSequence,
} from './compose.ts';
export { detectEncoding, readYaml } from './read-yaml.ts';
export { getKeyName, getMergedMappings, isMergeKey, toJsonValue } from './to-json-value.ts';
export { YamlError } from './yaml-error.ts';
