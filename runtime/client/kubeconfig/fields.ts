/**
 * How each field of client-go v0.36 (tools/clientcmd/api/v1/types.go) is handled, and its type. A test keeps the table
 * in docs/install.md equal to this.
 */

import { isRecord } from '../../kubernetes/is-record.ts';
import { isBase64 } from '../../yaml/resolve-scalar.ts';
import { fieldError, kubeConfigError } from './kubeconfig-error.ts';

/** A YAML mapping. */
export type Mapping = Readonly<Record<string, unknown>>;

/** Throws for a value of another type. `where` ends with the path of the field. */
type FieldCheck = (value: unknown, where: string) => void;

export type FieldRule =
  | { readonly kind: 'honoured'; readonly check: FieldCheck }
  /** Has no effect on an unattended client. */
  | { readonly kind: 'without effect'; readonly check: FieldCheck }
  /** Not allowed in the user of the context; `instead` gives the alternative. */
  | { readonly kind: 'refused'; readonly check: FieldCheck; readonly instead: string };

export type KubeConfigPart = 'config' | 'cluster' | 'user' | 'context' | 'exec';

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function checkType(what: string, isValid: (value: unknown) => boolean): FieldCheck {
  return (value, where) => {
    if (value !== null && !isValid(value)) throw fieldError(where, `must be ${what}`);
  };
}

function checkList(item: FieldCheck): FieldCheck {
  return (value, where) => {
    if (!Array.isArray(value)) throw fieldError(where, 'must be a list');
    for (const [index, each] of value.entries()) item(each, `${where}[${index}]`);
  };
}

/** @param check Checks the fields. */
function checkMapping(check: (value: Mapping, where: string) => void): FieldCheck {
  return (value, where) => {
    if (value === null) return;
    if (!isRecord(value)) throw fieldError(where, 'must be a mapping');
    check(value, where);
  };
}

/** Checks fields of any name. */
function checkMapValues(check: FieldCheck): FieldCheck {
  return checkMapping((value, where) => {
    for (const each of Object.values(value)) check(each, where);
  });
}

/** Checks only these fields. */
function checkRecord(fields: Readonly<Record<string, FieldCheck>>): FieldCheck {
  return checkMapping((value, where) => {
    for (const [name, check] of Object.entries(fields)) {
      if (value[name] !== undefined) check(value[name], `${where}.${name}`);
    }
  });
}

/** Checks a list in which every name is unique. */
function checkNamedList(field: string, check: FieldCheck): FieldCheck {
  const entries = checkList(checkRecord({ name: checkString, [field]: check }));
  return (value, where) => {
    entries(value, where);
    const names = Array.isArray(value) ? value.map((each) => (isRecord(each) ? (each['name'] ?? '') : '')) : [];
    const duplicate = names.findIndex((name, index) => names.indexOf(name) !== index);
    if (duplicate >= 0)
      throw fieldError(`${where}[${duplicate}]`, 'has the same name as another one; remove or rename one of them');
  };
}

function checkPart(name: KubeConfigPart): FieldCheck {
  return checkMapping((value, where) => checkFields(where, name, value));
}

const checkString = checkType('a string', isString);
const checkBoolean = checkType('true or false', (value) => typeof value === 'boolean');
const checkStrings = checkList(checkString);
const checkExtensions = checkNamedList('extension', () => {});

const honoured = (check: FieldCheck): FieldRule => ({ kind: 'honoured', check });
const STRING = honoured(checkString);
const BOOLEAN = honoured(checkBoolean);
const BASE64 = honoured(checkType('base64', (value) => isString(value) && isBase64(value)));
const STRINGS = honoured(checkStrings);
const EXTENSIONS: FieldRule = { kind: 'without effect', check: checkExtensions };

/** The fields of each part of a kubeconfig. */
export const KUBECONFIG_FIELDS: Readonly<Record<KubeConfigPart, Readonly<Record<string, FieldRule>>>> = {
  config: {
    kind: STRING,
    apiVersion: STRING,
    clusters: honoured(checkNamedList('cluster', checkPart('cluster'))),
    users: honoured(checkNamedList('user', checkPart('user'))),
    contexts: honoured(checkNamedList('context', checkPart('context'))),
    'current-context': STRING,
    preferences: { kind: 'without effect', check: checkRecord({ colors: checkBoolean, extensions: checkExtensions }) },
    extensions: EXTENSIONS,
  },
  cluster: {
    server: STRING,
    'tls-server-name': STRING,
    'insecure-skip-tls-verify': BOOLEAN,
    'certificate-authority': STRING,
    'certificate-authority-data': BASE64,
    'proxy-url': STRING,
    // The client never requests compressed responses.
    'disable-compression': BOOLEAN,
    // For the exec plugin, with provideClusterInfo.
    extensions: honoured(checkExtensions),
  },
  user: {
    'client-certificate': STRING,
    'client-certificate-data': BASE64,
    'client-key': STRING,
    'client-key-data': BASE64,
    token: STRING,
    tokenFile: STRING,
    'token-file': { kind: 'refused', check: checkString, instead: 'write tokenFile, as client-go does' },
    as: STRING,
    'as-uid': STRING,
    'as-groups': STRINGS,
    'as-user-extra': honoured(checkMapValues((value, where) => value === null || checkStrings(value, where))),
    username: STRING,
    password: STRING,
    'auth-provider': {
      kind: 'refused',
      check: checkRecord({ name: checkString, config: checkMapValues(checkString) }),
      instead: 'use an exec plugin, such as kubelogin or gke-gcloud-auth-plugin',
    },
    exec: honoured(checkPart('exec')),
    extensions: EXTENSIONS,
  },
  context: { cluster: STRING, user: STRING, namespace: STRING, extensions: EXTENSIONS },
  exec: {
    command: STRING,
    args: STRINGS,
    env: honoured(checkList(checkRecord({ name: checkString, value: checkString }))),
    apiVersion: STRING,
    installHint: STRING,
    provideClusterInfo: BOOLEAN,
    interactiveMode: STRING,
  },
};

/**
 * Throws at the first field of the wrong type. As in client-go, ignores unknown fields, treats `null` as absent, and
 * also checks unused contexts.
 * @param where Prefix of a field's path: `config: users[0].user.`
 */
export function checkFields(where: string, part: KubeConfigPart, value: Mapping): void {
  for (const [name, { check }] of Object.entries(KUBECONFIG_FIELDS[part])) {
    const fieldValue = value[name];
    if (fieldValue === undefined || fieldValue === null) continue;
    check(fieldValue, part === 'config' ? `${where} ${name}` : `${where}.${name}`);
  }
}

/** Throws at the first field that client-go or another client supports and this client does not. */
export function rejectUnsupportedFields(where: string, part: KubeConfigPart, value: Mapping): void {
  for (const [name, field] of Object.entries(KUBECONFIG_FIELDS[part])) {
    const isSet = value[name] !== undefined && value[name] !== null;
    if (isSet && field.kind === 'refused') throw kubeConfigError(where, `${name} is not supported; ${field.instead}`);
  }
}
