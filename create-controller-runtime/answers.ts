/** The answers about a project and its kind: from the flags and, on a terminal, from the user. */
import { basename, resolve } from 'node:path';
import { cancel, intro, isCancel, multiselect, select, text } from '@clack/prompts';
import {
  type Api,
  CHECKS,
  type Check,
  DEFAULT_VERSION,
  pluralize,
  SCOPES,
  type Scope,
  WEBHOOK_TYPES,
  type WebhookType,
} from './names.ts';
import { checkNewFolder, RefusedError } from './project-folder.ts';
import { listDependencies, listImportedNames } from './template.ts';

/** The flags of a command, as the user wrote them. */
export interface Flags {
  readonly name?: string;
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly plural?: string;
  readonly scope?: Scope;
  readonly defaulting?: boolean;
  readonly validation?: boolean;
  readonly webhook?: boolean;
}

/** A folder for a project, and the name of its operator. */
export interface Place {
  readonly folder: string;
  readonly name: string;
}

/** The user pressed Ctrl-C. */
export class CancelledError extends Error {}

/** Throws a {@link RefusedError} that lists each flag with an invalid value. */
export function checkFlags(flags: Flags): void {
  const checks = Object.entries({ ...CHECKS, name: checkName, kind: checkKind });
  const faults = checks.flatMap(([name, check]) => {
    const value = flags[name as keyof typeof CHECKS];
    const fault = value === undefined ? undefined : check(value);
    return fault === undefined ? [] : [`--${name}: ${JSON.stringify(value)} ${fault}`];
  });
  if (faults.length > 0) throw new RefusedError(faults.join('\n'));
}

/** Throws a {@link RefusedError} unless a project can be created in the folder. */
export function resolvePlace(folder: string, name = basename(resolve(folder))): Place {
  const fault = checkName(name);
  if (fault !== undefined)
    throw new RefusedError(
      `the name of the operator, ${JSON.stringify(name)}, ${fault}: choose another folder, or set --name`,
    );
  checkNewFolder(folder);
  return { folder, name };
}

/** Returns the answers without a question, or `undefined` if a required flag is missing. */
export function answerFromFlags(flags: Flags): Api | undefined {
  const { group, version = DEFAULT_VERSION, kind, scope = 'Namespaced' } = flags;
  if (group === undefined || kind === undefined) return undefined;
  return { group, version, kind, plural: flags.plural ?? pluralize(kind), scope, webhooks: listWebhooks(flags) };
}

/** Asks for the folder. Throws a {@link CancelledError} on Ctrl-C. */
export async function askForFolder(name: string | undefined): Promise<Place> {
  const folder = await ask('Folder of the project', { initial: 'my-operator' }, (value) => {
    try {
      resolvePlace(value, name);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  });
  return resolvePlace(folder, name);
}

/** Asks for everything that the flags do not answer. Throws a {@link CancelledError} on Ctrl-C. */
export async function askForApi(flags: Flags): Promise<Api> {
  const group = flags.group ?? (await ask('Group: a domain that you own', { example: 'example.com' }, CHECKS.group));
  const kind = flags.kind ?? (await ask('Kind', { example: 'Website' }, checkKind));
  const version = flags.version ?? (await ask('Version', { initial: DEFAULT_VERSION }, CHECKS.version));
  const plural = flags.plural ?? (await ask('Plural', { initial: pluralize(kind) }, CHECKS.plural));
  return {
    group,
    kind,
    version,
    plural,
    scope: flags.scope ?? (await askForScope()),
    webhooks: await askForWebhooks(flags),
  };
}

/** Prints the first line of the questions. */
export function printIntro(title: string): void {
  intro(title);
}

/** Prints that the user cancelled the questions. */
export function printCancelled(): void {
  cancel('Cancelled. Nothing was written.');
}

function checkName(name: string): string | undefined {
  return listDependencies().has(name) ? 'is a package that the project needs' : CHECKS.name(name);
}

function checkKind(kind: string): string | undefined {
  return listImportedNames().has(kind) ? 'is a name that the project imports: use another kind' : CHECKS.kind(kind);
}

async function ask(
  message: string,
  { initial, example }: { readonly initial?: string; readonly example?: string },
  check: Check,
): Promise<string> {
  const validate = (value: string | undefined) => check(value ?? '');
  return answered(
    await text({
      message,
      validate,
      ...(initial !== undefined && { initialValue: initial }),
      ...(example !== undefined && { placeholder: example }),
    }),
  );
}

async function askForScope(): Promise<Scope> {
  const hints = { Namespaced: 'an object is in a namespace', Cluster: 'an object has no namespace' };
  const options = SCOPES.map((value) => ({ value, label: value, hint: hints[value] }));
  return answered(await select<Scope>({ message: 'Scope', options }));
}

async function askForWebhooks(flags: Flags): Promise<readonly WebhookType[]> {
  const given = listWebhooks(flags);
  if (given.length > 0) return given;
  const hints = { defaulting: 'sets defaults that depend on other fields', validation: 'rules beyond the schema' };
  const options = WEBHOOK_TYPES.map((value) => ({ value, label: value, hint: hints[value] }));
  return answered(await multiselect<WebhookType>({ message: 'Webhooks', options, required: false }));
}

/** Returns the webhooks that the flags add. */
export function listWebhooks({ webhook, defaulting, validation }: Flags): readonly WebhookType[] {
  return WEBHOOK_TYPES.filter((type) => webhook || { defaulting, validation }[type]);
}

function answered<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new CancelledError();
  return answer as Exclude<T, symbol>; // the only symbol is that of a cancelled question
}
