/** The questions of the command on a terminal, which `script` of util-linux provides. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../test/support/temporary-folder.ts';

const COMMAND = join(import.meta.dirname, 'main.ts');
/** `script` has no screen, so that its terminal has no size. */
const SCREEN = 'stty cols 120 rows 40';
const ENTER = '\r';
const CTRL_C = '\x03';
const BACKSPACE = '\x7f';
const DOWN = '\x1b[B';

/** The command on a terminal. */
class Terminal {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<number>;
  #output = '';
  #news = Promise.withResolvers<void>();

  constructor(cwd: string, args: string) {
    this.#child = spawn('script', ['-qec', `${SCREEN}; '${process.execPath}' '${COMMAND}' ${args}`, '/dev/null'], {
      cwd,
    });
    this.exited = once(this.#child, 'close').then(([code]) => code);
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#output += chunk;
      this.#news.resolve();
      this.#news = Promise.withResolvers();
    });
    this.#child.once('close', () => {
      this.#news.promise.catch(() => {}); // after the last question, no test waits
      this.#news.reject(new Error(`ended with:\n${this.#output}`));
    });
  }

  /** Waits for a text after the last one, and then presses the keys. */
  async answer(question: string, keys: string): Promise<void> {
    for (;;) {
      const output = stripVTControlCharacters(this.#output);
      const index = output.indexOf(question);
      if (index >= 0) {
        this.#output = '';
        break;
      }
      await this.#news.promise;
    }
    if (keys !== '') this.#child.stdin.write(keys); // after the last question, the command may have ended
  }
}

test('the command asks for each answer, again after an invalid one, and writes the project', async () => {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, 'used'), '');
  const terminal = new Terminal(folder, '--no-install');
  await terminal.answer('Folder of the project', `${BACKSPACE.repeat('my-operator'.length)}used${ENTER}`);
  await terminal.answer('used is a file', `${BACKSPACE.repeat('used'.length)}shop${ENTER}`);
  await terminal.answer('Group', `acme.org${ENTER}`);
  await terminal.answer('Kind', `policy${ENTER}`);
  await terminal.answer('must be CamelCase', `${BACKSPACE.repeat('policy'.length)}Policy${ENTER}`);
  await terminal.answer('Version', ENTER);
  await terminal.answer('policies', ENTER);
  await terminal.answer('Scope', `${DOWN}${ENTER}`);
  await terminal.answer('Webhooks', ` ${ENTER}`);
  await terminal.answer('Next:', '');
  expect(await terminal.exited).toBe(0);
  const types = readFileSync(join(folder, 'shop/api/v1alpha1/policy-types.ts'), 'utf8');
  for (const line of ["group: 'acme.org'", "plural: 'policies'", "scope: 'Cluster'"]) expect(types).toContain(line);
  expect(readdirSync(join(folder, 'shop/webhooks')).toSorted()).toEqual([
    'policy-defaults.test.ts',
    'policy-defaults.ts',
  ]);
});

test('Ctrl-C writes nothing', async () => {
  const folder = createTemporaryFolder();
  const terminal = new Terminal(folder, 'shop --group=acme.org');
  await terminal.answer('Kind', `Policy${ENTER}`);
  await terminal.answer('Version', CTRL_C);
  await terminal.answer('Cancelled. Nothing was written.', '');
  expect(await terminal.exited).toBe(130);
  expect(readdirSync(folder)).toEqual([]);
});
