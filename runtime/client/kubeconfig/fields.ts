/**
 * How each field of client-go v0.36 (tools/clientcmd/api/v1/types.go) is handled, and its type. A test keeps the table
 * in docs/install.md equal to this.
 */

import { isRecord } from '../../kubernetes/is-record.ts';
import { isBase64 } from '../../yaml/resolve.ts';
import { fieldProblem, problem } from './problem.ts';

/** A YAML mapping. */
export type Mapping = Readonly<Record<string, unknown>>;

/** Throws for a value of another type. `where` ends with the path of the field. */
type Check = (value: unknown, where: string) => void;

export type Field =
  | { readonly kind: 'honoured'; readonly check: Check }
  /** Has no effect on an unattended client. */
  | { readonly kind: 'without effect'; readonly check: Check }
  /** Not allowed in the user of the context; `instead` gives the alternative. */
  | { readonly kind: 'refused'; readonly check: Check; readonly instead: string };

export type Part = 'config' | 'cluster' | 'user' | 'context' | 'exec';

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function mustBe(what: string, fits: (value: unknown) => boolean): Check {
  return (value, where) => {
    if (value !== null && !fits(value)) throw fieldProblem(where, `must be ${what}`);
  };
}

function listOf(item: Check): Check {
  return (value, where) => {
    if (!Array.isArray(value)) throw fieldProblem(where, 'must be a list');
    for (const [index, each] of value.entries()) item(each, `${where}[${index}]`);
  };
}

/** @param check Checks the fields. */
function mapping(check: (value: Mapping, where: string) => void): Check {
  return (value, where) => {
    if (value === null) return;
    if (!isRecord(value)) throw fieldProblem(where, 'must be a mapping');
    check(value, where);
  };
}

/** Checks fields of any name. */
function mappingOf(check: Check): Check {
  return mapping((value, where) => {
    for (const each of Object.values(value)) check(each, where);
  });
}

/** Checks only these fields. */
function record(fields: Readonly<Record<string, Check>>): Check {
  return mapping((value, where) => {
    for (const [name, check] of Object.entries(fields)) {
      if (value[name] !== undefined) check(value[name], `${where}.${name}`);
    }
  });
}

/** Checks a list in which every name is unique. */
function named(field: string, check: Check): Check {
  const entries = listOf(record({ name: text, [field]: check }));
  return (value, where) => {
    entries(value, where);
    const names = Array.isArray(value) ? value.map((each) => (isRecord(each) ? (each['name'] ?? '') : '')) : [];
    const repeated = names.findIndex((name, index) => names.indexOf(name) !== index);
    if (repeated >= 0)
      throw fieldProblem(`${where}[${repeated}]`, 'has the name of another one; remove or rename one of them');
  };
}

function part(name: Part): Check {
  return mapping((value, where) => checkFields(where, name, value));
}

const text = mustBe('a text', isText);
const boolean = mustBe('true or false', (value) => typeof value === 'boolean');
const texts = listOf(text);
const extensions = named('extension', () => {});

const honoured = (check: Check): Field => ({ kind: 'honoured', check });
const TEXT = honoured(text);
const BOOLEAN = honoured(boolean);
const BASE64 = honoured(mustBe('base64', (value) => isText(value) && isBase64(value)));
const TEXTS = honoured(texts);
const EXTENSIONS: Field = { kind: 'without effect', check: extensions };

/** The fields of each part of a kubeconfig. */
export const KUBECONFIG_FIELDS: Readonly<Record<Part, Readonly<Record<string, Field>>>> = {
  config: {
    kind: TEXT,
    apiVersion: TEXT,
    clusters: honoured(named('cluster', part('cluster'))),
    users: honoured(named('user', part('user'))),
    contexts: honoured(named('context', part('context'))),
    'current-context': TEXT,
    preferences: { kind: 'without effect', check: record({ colors: boolean, extensions }) },
    extensions: EXTENSIONS,
  },
  cluster: {
    server: TEXT,
    'tls-server-name': TEXT,
    'insecure-skip-tls-verify': BOOLEAN,
    'certificate-authority': TEXT,
    'certificate-authority-data': BASE64,
    'proxy-url': TEXT,
    // The client never requests compressed answers.
    'disable-compression': BOOLEAN,
    // For the exec plugin, with provideClusterInfo.
    extensions: honoured(extensions),
  },
  user: {
    'client-certificate': TEXT,
    'client-certificate-data': BASE64,
    'client-key': TEXT,
    'client-key-data': BASE64,
    token: TEXT,
    tokenFile: TEXT,
    'token-file': { kind: 'refused', check: text, instead: 'write tokenFile, as client-go does' },
    as: TEXT,
    'as-uid': TEXT,
    'as-groups': TEXTS,
    'as-user-extra': honoured(mappingOf((value, where) => value === null || texts(value, where))),
    username: TEXT,
    password: TEXT,
    'auth-provider': {
      kind: 'refused',
      check: record({ name: text, config: mappingOf(text) }),
      instead: 'use an exec plugin, such as kubelogin or gke-gcloud-auth-plugin',
    },
    exec: honoured(part('exec')),
    extensions: EXTENSIONS,
  },
  context: { cluster: TEXT, user: TEXT, namespace: TEXT, extensions: EXTENSIONS },
  exec: {
    command: TEXT,
    args: TEXTS,
    env: honoured(listOf(record({ name: text, value: text }))),
    apiVersion: TEXT,
    installHint: TEXT,
    provideClusterInfo: BOOLEAN,
    interactiveMode: TEXT,
  },
};

/**
 * Throws at the first field of the wrong type. As in client-go, ignores unknown fields, treats `null` as absent, and
 * also checks unused contexts.
 * @param where Prefix of a field's path: `config: users[0].user.`
 */
export function checkFields(where: string, part: Part, value: Mapping): void {
  for (const [name, { check }] of Object.entries(KUBECONFIG_FIELDS[part])) {
    const given = value[name];
    if (given === undefined || given === null) continue;
    check(given, part === 'config' ? `${where} ${name}` : `${where}.${name}`);
  }
}

/** Throws at the first field that client-go or another client supports and this client does not. */
export function refuseFields(where: string, part: Part, value: Mapping): void {
  for (const [name, field] of Object.entries(KUBECONFIG_FIELDS[part])) {
    const isGiven = value[name] !== undefined && value[name] !== null;
    if (isGiven && field.kind === 'refused') throw problem(where, `${name} is not supported; ${field.instead}`);
  }
}
