/** The moving picture of README is what kubectl tcj prints for the lively scene. UPDATE_SCREENSHOTS=1 writes it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { SystemClock } from 'controller-runtime';
import { expect, inject, test, vi } from 'vitest';
import { connect } from '../../kubectl-tcj/plugin/cluster-session.ts';
import { runCommand } from '../../kubectl-tcj/plugin/run-command.ts';
import { CapturedTerminal } from '../support/captured-terminal.ts';
import { SCENE_NOW } from './support/lively-scene.ts';
import { drawTerminal, type TerminalStep } from './support/terminal-picture.ts';

const PICTURE = resolve('docs/images/terminal.svg');
const COLUMNS = 108;
const MAX_BYTES = 60 * 1024;
const COMMANDS = ['list -A', 'why customer-import -n data', 'next -A --within 1h'];

async function record(line: string): Promise<TerminalStep> {
  const terminal = new CapturedTerminal('', { width: COLUMNS, hasColors: true });
  await runCommand(line.split(' '), {
    terminal,
    now: SCENE_NOW,
    clock: new SystemClock(),
    signal: new AbortController().signal,
    connect: (options) => connect(options, 'test'),
  });
  const { out, err } = terminal.texts;
  return { command: `kubectl tcj ${line}`, output: out + err };
}

test('docs/images/terminal.svg shows what the commands print', async () => {
  vi.stubEnv('KUBECONFIG', inject('sceneKubeconfig'));
  const steps: TerminalStep[] = [];
  for (const command of COMMANDS) steps.push(await record(command));
  const title = `A terminal with the output of ${COMMANDS.map((each) => `kubectl tcj ${each}`).join(', ')}`;
  const picture = await drawTerminal(steps, { title, columns: COLUMNS, rows: 21 });
  expect(Buffer.byteLength(picture)).toBeLessThan(MAX_BYTES);
  if (process.env['UPDATE_SCREENSHOTS'] === '1') writeFileSync(PICTURE, picture);
  expect(readFileSync(PICTURE, 'utf8')).toBe(picture);
});
