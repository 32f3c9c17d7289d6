/** Do the fields of a kubeconfig have their types? As client-go, also those of contexts that are not used. */
import { isBase64 } from '../../yaml/resolve.ts';
import { isRecord } from '../metadata-fault.ts';
import { type Field, type FieldType, KUBECONFIG_FIELDS, type Part } from './fields.ts';
import { fieldProblem, problem } from './problem.ts';

/** A mapping of YAML. */
export type Mapping = Readonly<Record<string, unknown>>;

/**
 * Throws at the first field of another type. Unknown fields are not looked at, and `null` is absent.
 * @param where Begins the path of a field: `config: users[0].user.`
 */
export function checkFields(where: string, part: Part, value: Mapping): void {
  for (const [name, field] of Object.entries<Field>(KUBECONFIG_FIELDS[part])) {
    const given = value[name];
    if (given === undefined || given === null) continue;
    CHECKS[field.type](given, part === 'config' ? `${where} ${name}` : `${where}.${name}`);
  }
}

/** Throws at the first field that is of client-go's, or of others', and not of ours. */
export function refuseFields(where: string, part: Part, value: Mapping): void {
  for (const [name, field] of Object.entries<Field>(KUBECONFIG_FIELDS[part])) {
    const isGiven = value[name] !== undefined && value[name] !== null;
    if (isGiven && field.kind === 'refused') throw problem(where, `${name} is not supported; ${field.instead}`);
  }
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

type Check = (value: unknown, where: string) => void;

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

/** @param check Looks at its fields. */
function mapping(check: (value: Mapping, where: string) => void): Check {
  return (value, where) => {
    if (value === null) return;
    if (!isRecord(value)) throw fieldProblem(where, 'must be a mapping');
    check(value, where);
  };
}

/** Fields of any name. */
function mappingOf(check: Check): Check {
  return mapping((value, where) => {
    for (const each of Object.values(value)) check(each, where);
  });
}

/** Only these fields are looked at. */
function record(fields: Readonly<Record<string, Check>>): Check {
  return mapping((value, where) => {
    for (const [name, check] of Object.entries(fields)) {
      if (value[name] !== undefined) check(value[name], `${where}.${name}`);
    }
  });
}

/** A list in which no name stands twice. */
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
const anything: Check = () => {};
const extensions = named('extension', anything);

const CHECKS: Readonly<Record<FieldType, Check>> = {
  text,
  boolean,
  base64: mustBe('base64', (value) => isText(value) && isBase64(value)),
  texts: listOf(text),
  'texts by name': mappingOf((value, where) => value === null || listOf(text)(value, where)),
  preferences: record({ colors: boolean, extensions }),
  clusters: named('cluster', part('cluster')),
  users: named('user', part('user')),
  contexts: named('context', part('context')),
  extensions,
  exec: part('exec'),
  env: listOf(record({ name: text, value: text })),
  'auth provider': record({ name: text, config: mappingOf(text) }),
};
