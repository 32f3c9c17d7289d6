/** YAML as kubectl reads it. */
export {
  composeYaml,
  MAX_DEPTH,
  MAX_NODES,
  type YamlEntry,
  type YamlMapping,
  type YamlNode,
  type YamlScalar,
  type YamlSequence,
} from './compose.ts';
export { encodingOf, readYaml, yamlText } from './read-yaml.ts';
export { isMergeKey, keyName, mergedMappings, yamlValue } from './value.ts';
export { YamlError } from './yaml-error.ts';
