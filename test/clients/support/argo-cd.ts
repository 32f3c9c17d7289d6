/** Runs the scripts of config/argocd/argocd-cm.yaml as Argo CD does, in its own interpreter. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { inject } from 'vitest';
import { parse } from 'yaml';
import { ACTIONS_KEY, HEALTH_KEY } from '../../../hack/argocd/argocd-config.ts';

interface ArgoCdActions {
  readonly 'discovery.lua': string;
  readonly definitions: readonly { readonly name: string; readonly 'action.lua': string }[];
}

const { data } = parse(readFileSync('config/argocd/argocd-cm.yaml', 'utf8'));
const actions: ArgoCdActions = parse(data[ACTIONS_KEY]);

export interface Health {
  readonly status: string;
  readonly message: string;
}

export function getHealth(object: unknown): Health {
  return runLua(data[HEALTH_KEY], object) as Health;
}

/** Names of the available actions. */
export function listActions(object: unknown): readonly string[] {
  const actionNames = runLua(actions['discovery.lua'], object) as Record<string, { readonly disabled?: boolean }>;
  return Object.keys(actionNames).filter((name) => actionNames[name]?.disabled !== true);
}

/** Names of all defined actions. */
export function listDefinedActions(): readonly string[] {
  return actions.definitions.map(({ name }) => name);
}

/** The object after the action. Argo CD sends the difference as a merge patch. */
export function applyAction<T>(name: string, object: T): T {
  const action = actions.definitions.find((each) => each.name === name);
  if (action === undefined) throw new Error(`no action ${name}`);
  return runLua(action['action.lua'], object) as T;
}

function runLua(script: string, object: unknown): unknown {
  const { stdout, stderr } = spawnSync(inject('argoLua'), { input: JSON.stringify({ script, object }) });
  if (stdout.length === 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}
