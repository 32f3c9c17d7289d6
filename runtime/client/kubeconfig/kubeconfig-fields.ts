/**
 * The fields of a kubeconfig in client-go v0.36 (tools/clientcmd/api/v1/types.go), with their types. A test compares
 * the fields with the table in docs/install.md.
 */

import { isRecord } from '../../kubernetes/is-record.ts';
import { isBase64 } from '../../yaml/resolve-scalar.ts';
import { createFieldError, createKubeConfigError } from './kubeconfig-error.ts';

export type Mapping = Readonly<Record<string, unknown>>;

/** Throws if the value has the wrong type. `location` consists of the file and the path of the field. */
type FieldCheck = (value: unknown, location: string) => void;

export type FieldRule =
  | { readonly kind: 'honoured'; readonly check: FieldCheck }
  /** The field has no effect on this client. */
  | { readonly kind: 'without effect'; readonly check: FieldCheck }
  /**
   * The client does not support the field, and rejects a context whose user contains it. The error message suggests
   * `alternative`.
   */
  | { readonly kind: 'refused'; readonly check: FieldCheck; readonly alternative: string };

export type KubeConfigSection = 'config' | 'cluster' | 'user' | 'context' | 'exec';

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function createTypeCheck(expectedType: string, isValid: (value: unknown) => boolean): FieldCheck {
  return (value, location) => {
    if (value !== null && !isValid(value)) throw createFieldError(location, `must be ${expectedType}`);
  };
}

function createListCheck(checkItem: FieldCheck): FieldCheck {
  return (value, location) => {
    if (!Array.isArray(value)) throw createFieldError(location, 'must be a list');
    for (const [index, each] of value.entries()) checkItem(each, `${location}[${index}]`);
  };
}

function createMappingCheck(check: (value: Mapping, location: string) => void): FieldCheck {
  return (value, location) => {
    if (value === null) return;
    if (!isRecord(value)) throw createFieldError(location, 'must be a mapping');
    check(value, location);
  };
}

function createMapValuesCheck(check: FieldCheck): FieldCheck {
  return createMappingCheck((value, location) => {
    for (const each of Object.values(value)) check(each, location);
  });
}

/** Returns a function that checks the given fields of a mapping and ignores all other fields. */
function createKnownFieldsCheck(fields: Readonly<Record<string, FieldCheck>>): FieldCheck {
  return createMappingCheck((value, location) => {
    for (const [name, check] of Object.entries(fields)) {
      if (value[name] !== undefined) check(value[name], `${location}.${name}`);
    }
  });
}

/** Returns a function that checks a list of named items. The names must be unique. */
function createNamedListCheck(field: string, check: FieldCheck): FieldCheck {
  const checkItems = createListCheck(createKnownFieldsCheck({ name: checkString, [field]: check }));
  return (value, location) => {
    checkItems(value, location);
    const names = Array.isArray(value) ? value.map((each) => (isRecord(each) ? (each['name'] ?? '') : '')) : [];
    const duplicateIndex = names.findIndex((name, index) => names.indexOf(name) !== index);
    if (duplicateIndex >= 0)
      throw createFieldError(
        `${location}[${duplicateIndex}]`,
        'has the same name as another one; remove or rename one of them',
      );
  };
}

function createSectionCheck(name: KubeConfigSection): FieldCheck {
  return createMappingCheck((value, location) => checkFields(location, name, value));
}

const checkString = createTypeCheck('a string', isString);
const checkBoolean = createTypeCheck('true or false', (value) => typeof value === 'boolean');
const checkStringList = createListCheck(checkString);
const checkExtensions = createNamedListCheck('extension', () => {});

const createFieldRule = (check: FieldCheck): FieldRule => ({ kind: 'honoured', check });
const STRING_RULE = createFieldRule(checkString);
const BOOLEAN_RULE = createFieldRule(checkBoolean);
const BASE64_RULE = createFieldRule(createTypeCheck('base64', (value) => isString(value) && isBase64(value)));
const STRING_LIST_RULE = createFieldRule(checkStringList);
const EXTENSION_LIST_RULE: FieldRule = { kind: 'without effect', check: checkExtensions };

export const KUBECONFIG_FIELDS: Readonly<Record<KubeConfigSection, Readonly<Record<string, FieldRule>>>> = {
  config: {
    kind: STRING_RULE,
    apiVersion: STRING_RULE,
    clusters: createFieldRule(createNamedListCheck('cluster', createSectionCheck('cluster'))),
    users: createFieldRule(createNamedListCheck('user', createSectionCheck('user'))),
    contexts: createFieldRule(createNamedListCheck('context', createSectionCheck('context'))),
    'current-context': STRING_RULE,
    preferences: {
      kind: 'without effect',
      check: createKnownFieldsCheck({ colors: checkBoolean, extensions: checkExtensions }),
    },
    extensions: EXTENSION_LIST_RULE,
  },
  cluster: {
    server: STRING_RULE,
    'tls-server-name': STRING_RULE,
    'insecure-skip-tls-verify': BOOLEAN_RULE,
    'certificate-authority': STRING_RULE,
    'certificate-authority-data': BASE64_RULE,
    'proxy-url': STRING_RULE,
    // This field has no effect, because the client does not request compressed responses.
    'disable-compression': BOOLEAN_RULE,
    // An exec plugin with provideClusterInfo receives the extension.
    extensions: createFieldRule(checkExtensions),
  },
  user: {
    'client-certificate': STRING_RULE,
    'client-certificate-data': BASE64_RULE,
    'client-key': STRING_RULE,
    'client-key-data': BASE64_RULE,
    token: STRING_RULE,
    tokenFile: STRING_RULE,
    'token-file': { kind: 'refused', check: checkString, alternative: 'write tokenFile, as client-go does' },
    as: STRING_RULE,
    'as-uid': STRING_RULE,
    'as-groups': STRING_LIST_RULE,
    'as-user-extra': createFieldRule(
      createMapValuesCheck((value, location) => value === null || checkStringList(value, location)),
    ),
    username: STRING_RULE,
    password: STRING_RULE,
    'auth-provider': {
      kind: 'refused',
      check: createKnownFieldsCheck({ name: checkString, config: createMapValuesCheck(checkString) }),
      alternative: 'use an exec plugin, such as kubelogin or gke-gcloud-auth-plugin',
    },
    exec: createFieldRule(createSectionCheck('exec')),
    extensions: EXTENSION_LIST_RULE,
  },
  context: { cluster: STRING_RULE, user: STRING_RULE, namespace: STRING_RULE, extensions: EXTENSION_LIST_RULE },
  exec: {
    command: STRING_RULE,
    args: STRING_LIST_RULE,
    env: createFieldRule(createListCheck(createKnownFieldsCheck({ name: checkString, value: checkString }))),
    apiVersion: STRING_RULE,
    installHint: STRING_RULE,
    provideClusterInfo: BOOLEAN_RULE,
    interactiveMode: STRING_RULE,
  },
};

/**
 * Throws if a field has the wrong type. Ignores unknown fields and null fields, as client-go does.
 * @param location File and path of the section, such as `config: users[0].user`.
 */
export function checkFields(location: string, section: KubeConfigSection, value: Mapping): void {
  for (const [name, { check }] of Object.entries(KUBECONFIG_FIELDS[section])) {
    const fieldValue = value[name];
    if (fieldValue === undefined || fieldValue === null) continue;
    check(fieldValue, section === 'config' ? `${location} ${name}` : `${location}.${name}`);
  }
}

/** Throws if a mapping contains a field that this client does not support. */
export function rejectUnsupportedFields(location: string, section: KubeConfigSection, value: Mapping): void {
  for (const [name, rule] of Object.entries(KUBECONFIG_FIELDS[section])) {
    const isSet = value[name] !== undefined && value[name] !== null;
    if (isSet && rule.kind === 'refused')
      throw createKubeConfigError(location, `${name} is not supported; ${rule.alternative}`);
  }
}
