/**
 * The fields of a kubeconfig in client-go v0.36 (tools/clientcmd/api/v1/types.go), with their types. A test compares
 * them with the table in docs/install.md.
 */

import { isRecord } from '../../kubernetes/is-record.ts';
import { isBase64 } from '../../yaml/resolve-scalar.ts';
import { createFieldError, createKubeConfigError } from './kubeconfig-error.ts';

/** A YAML mapping. */
export type Mapping = Readonly<Record<string, unknown>>;

/** Throws if the value has the wrong type. `location` is the file and the path of the field. */
type FieldCheck = (value: unknown, location: string) => void;

export type FieldRule =
  | { readonly kind: 'honoured'; readonly check: FieldCheck }
  /** The field has no effect on this client. */
  | { readonly kind: 'without effect'; readonly check: FieldCheck }
  /** The field causes an error if the current context uses it. The error contains the alternative. */
  | { readonly kind: 'refused'; readonly check: FieldCheck; readonly alternative: string };

export type KubeConfigSection = 'config' | 'cluster' | 'user' | 'context' | 'exec';

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function checkType(expectedType: string, isValid: (value: unknown) => boolean): FieldCheck {
  return (value, location) => {
    if (value !== null && !isValid(value)) throw createFieldError(location, `must be ${expectedType}`);
  };
}

function checkList(checkItem: FieldCheck): FieldCheck {
  return (value, location) => {
    if (!Array.isArray(value)) throw createFieldError(location, 'must be a list');
    for (const [index, each] of value.entries()) checkItem(each, `${location}[${index}]`);
  };
}

function checkMapping(check: (value: Mapping, location: string) => void): FieldCheck {
  return (value, location) => {
    if (value === null) return;
    if (!isRecord(value)) throw createFieldError(location, 'must be a mapping');
    check(value, location);
  };
}

/** Checks all values of a mapping with any keys. */
function checkMapValues(check: FieldCheck): FieldCheck {
  return checkMapping((value, location) => {
    for (const each of Object.values(value)) check(each, location);
  });
}

/** Checks the known fields of a mapping, and ignores other fields. */
function checkKnownFields(fields: Readonly<Record<string, FieldCheck>>): FieldCheck {
  return checkMapping((value, location) => {
    for (const [name, check] of Object.entries(fields)) {
      if (value[name] !== undefined) check(value[name], `${location}.${name}`);
    }
  });
}

/** Checks a list whose items have unique names. */
function checkNamedList(field: string, check: FieldCheck): FieldCheck {
  const checkEntries = checkList(checkKnownFields({ name: checkString, [field]: check }));
  return (value, location) => {
    checkEntries(value, location);
    const names = Array.isArray(value) ? value.map((each) => (isRecord(each) ? (each['name'] ?? '') : '')) : [];
    const duplicateIndex = names.findIndex((name, index) => names.indexOf(name) !== index);
    if (duplicateIndex >= 0)
      throw createFieldError(
        `${location}[${duplicateIndex}]`,
        'has the same name as another one; remove or rename one of them',
      );
  };
}

function checkSection(name: KubeConfigSection): FieldCheck {
  return checkMapping((value, location) => checkFields(location, name, value));
}

const checkString = checkType('a string', isString);
const checkBoolean = checkType('true or false', (value) => typeof value === 'boolean');
const checkStrings = checkList(checkString);
const checkExtensions = checkNamedList('extension', () => {});

const createHonouredRule = (check: FieldCheck): FieldRule => ({ kind: 'honoured', check });
const STRING = createHonouredRule(checkString);
const BOOLEAN = createHonouredRule(checkBoolean);
const BASE64 = createHonouredRule(checkType('base64', (value) => isString(value) && isBase64(value)));
const STRINGS = createHonouredRule(checkStrings);
const EXTENSIONS: FieldRule = { kind: 'without effect', check: checkExtensions };

export const KUBECONFIG_FIELDS: Readonly<Record<KubeConfigSection, Readonly<Record<string, FieldRule>>>> = {
  config: {
    kind: STRING,
    apiVersion: STRING,
    clusters: createHonouredRule(checkNamedList('cluster', checkSection('cluster'))),
    users: createHonouredRule(checkNamedList('user', checkSection('user'))),
    contexts: createHonouredRule(checkNamedList('context', checkSection('context'))),
    'current-context': STRING,
    preferences: {
      kind: 'without effect',
      check: checkKnownFields({ colors: checkBoolean, extensions: checkExtensions }),
    },
    extensions: EXTENSIONS,
  },
  cluster: {
    server: STRING,
    'tls-server-name': STRING,
    'insecure-skip-tls-verify': BOOLEAN,
    'certificate-authority': STRING,
    'certificate-authority-data': BASE64,
    'proxy-url': STRING,
    // The client does not request compressed responses.
    'disable-compression': BOOLEAN,
    // An exec plugin with provideClusterInfo receives the extension.
    extensions: createHonouredRule(checkExtensions),
  },
  user: {
    'client-certificate': STRING,
    'client-certificate-data': BASE64,
    'client-key': STRING,
    'client-key-data': BASE64,
    token: STRING,
    tokenFile: STRING,
    'token-file': { kind: 'refused', check: checkString, alternative: 'write tokenFile, as client-go does' },
    as: STRING,
    'as-uid': STRING,
    'as-groups': STRINGS,
    'as-user-extra': createHonouredRule(
      checkMapValues((value, location) => value === null || checkStrings(value, location)),
    ),
    username: STRING,
    password: STRING,
    'auth-provider': {
      kind: 'refused',
      check: checkKnownFields({ name: checkString, config: checkMapValues(checkString) }),
      alternative: 'use an exec plugin, such as kubelogin or gke-gcloud-auth-plugin',
    },
    exec: createHonouredRule(checkSection('exec')),
    extensions: EXTENSIONS,
  },
  context: { cluster: STRING, user: STRING, namespace: STRING, extensions: EXTENSIONS },
  exec: {
    command: STRING,
    args: STRINGS,
    env: createHonouredRule(checkList(checkKnownFields({ name: checkString, value: checkString }))),
    apiVersion: STRING,
    installHint: STRING,
    provideClusterInfo: BOOLEAN,
    interactiveMode: STRING,
  },
};

/**
 * Throws if a field has the wrong type. Ignores unknown fields and null fields, like client-go.
 * @param location File and path of the section, such as `config: users[0].user`.
 */
export function checkFields(location: string, section: KubeConfigSection, value: Mapping): void {
  for (const [name, { check }] of Object.entries(KUBECONFIG_FIELDS[section])) {
    const fieldValue = value[name];
    if (fieldValue === undefined || fieldValue === null) continue;
    check(fieldValue, section === 'config' ? `${location} ${name}` : `${location}.${name}`);
  }
}

/** Throws if a field is set that this client does not support. */
export function rejectUnsupportedFields(location: string, section: KubeConfigSection, value: Mapping): void {
  for (const [name, rule] of Object.entries(KUBECONFIG_FIELDS[section])) {
    const isSet = value[name] !== undefined && value[name] !== null;
    if (isSet && rule.kind === 'refused')
      throw createKubeConfigError(location, `${name} is not supported; ${rule.alternative}`);
  }
}
