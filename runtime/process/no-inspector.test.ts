import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';

/**
 * A separate process that starts like an operator's main file. It sends itself SIGUSR1, and ends a while after a line
 * on stderr.
 */
async function outputAfterSignal(firstLine: string): Promise<readonly string[]> {
  const program = `
    ${firstLine}
    process.on('SIGUSR2', () => { console.error('still here'); process.exit(); });
    setInterval(() => {}, 1000);
    console.log('ready');
  `;
  const child = spawn(process.execPath, ['--inspect-port=0', '--input-type=module', '--eval', program]);
  const output: string[] = [];
  const lines = createInterface({ input: child.stderr });
  lines.on('line', (line) => output.push(line));
  await once(child.stdout, 'data');
  child.kill('SIGUSR1');
  child.kill('SIGUSR2');
  await once(lines, 'close');
  return output;
}

test('SIGUSR1 opens no inspector', async () => {
  expect(await outputAfterSignal("import 'controller-runtime/no-inspector';")).toEqual(['still here']);
});
