/** Checks .github/workflows, and the workflow in the template of create-controller-runtime, with actionlint. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { provision } from '../control-plane/provision.ts';
import { run } from '../control-plane/run.ts';
import { type CheckVerdict, reportVerdict } from './check-verdict.ts';

const PROJECT = join(import.meta.dirname, '../..');

async function lintWorkflows(): Promise<CheckVerdict> {
  let actionlint: string;
  try {
    ({ actionlint } = await provision(['actionlint']));
  } catch (error) {
    return { kind: 'not checked', reason: `cannot get actionlint: ${error instanceof Error ? error.message : error}` };
  }
  const files = globSync('{,create-controller-runtime/template/}.github/workflows/*.yaml', { cwd: PROJECT }).sort();
  try {
    // shellcheck and pyflakes are disabled, because they are not installed on every machine.
    await run(actionlint, ['-no-color', '-shellcheck=', '-pyflakes=', ...files], { cwd: PROJECT });
    return { kind: 'passed' };
  } catch (error) {
    return { kind: 'failed', problems: [error instanceof Error ? error.message : String(error)] };
  }
}

reportVerdict(await lintWorkflows());
