/**
 * runtime/docs/first-operator.md, and its continuation in deploying.md and webhooks.md, executed exactly as written, on separate API
 * servers.
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { findFreePort } from '../../hack/control-plane/free-port.ts';
import { run } from '../../hack/control-plane/run.ts';
import { startApiServer } from '../cluster/api-server.ts';
import { installPacked } from '../packages/install-packed.ts';
import { type Block, getWord, parseBlocks, readPage } from '../packages/page-blocks.ts';
import { ManagerProcess } from '../support/manager-process.ts';
import { PROJECT } from '../support/manifests.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { writeKubeconfigAs } from './support/kubeconfig-as.ts';

/** Timeout: compiles, packs and installs the package, and starts an API server. */
const TIMEOUT_MS = 1_200_000;
/** The page creates it in a new folder. */
const HOME = 'website-operator';
const OPERATOR = 'system:serviceaccount:website-operator-system:website-operator';

/** A reader, who follows the instructions of the pages. */
class PageReader implements AsyncDisposable {
  readonly #parent = createTemporaryFolder();
  readonly #home = join(this.#parent, HOME);
  readonly #kubectl: string;
  #operator: ManagerProcess | undefined;

  constructor(kubectl: string) {
    this.#kubectl = kubectl;
  }

  /** @param options The kubeconfigs of the reader and of the operator, and the port that replaces 9443. */
  async follow(
    path: string,
    options: { readonly kubeconfig: string; readonly operator: string; readonly port: number },
  ) {
    const { kubeconfig, operator, port } = options;
    const { text } = readPage('runtime', path);
    const blocks = parseBlocks(text.replaceAll('9443', String(port)));
    for (const [index, block] of blocks.entries()) {
      const file = getWord(block, 'file');
      if (file !== undefined) this.#write(file, block.text);
      const instruction = getWord(block, 'test');
      if (instruction === 'run') await this.#run(block, kubeconfig);
      if (instruction === 'install') await this.#install();
      if (instruction === 'operator') await this.#start(block, operator, port);
      if (instruction === 'refused') {
        const refusal =
          blocks[index + 1]?.text.trim() ?? expect.fail(`${path}:${block.line}: what is it refused with?`);
        await eventually(() => expect(this.#run(block, kubeconfig)).rejects.toThrow(refusal));
      }
    }
    await this.#stop();
  }

  #write(file: string, text: string): void {
    mkdirSync(dirname(join(this.#home, file)), { recursive: true });
    writeFileSync(join(this.#home, file), text);
  }

  /** The first block creates the folder for the other blocks. */
  async #run({ text }: Block, kubeconfig: string): Promise<void> {
    const cwd = text.startsWith('mkdir') ? this.#parent : this.#home;
    const path = `${dirname(this.#kubectl)}:${process.env['PATH']}`;
    await run('bash', ['-euc', text], { cwd, env: { ...process.env, PATH: path, KUBECONFIG: kubeconfig } });
  }

  /** As in the page, but without a network. */
  async #install(): Promise<void> {
    const file = join(this.#home, 'package.json');
    const before = JSON.parse(readFileSync(file, 'utf8'));
    await installPacked('runtime', this.#home, createTemporaryFolder());
    const { dependencies } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...before, dependencies }));
    mkdirSync(join(this.#home, 'node_modules/@types'), { recursive: true });
    for (const name of ['.bin/tsc', '.bin/esbuild', '.bin/rolldown', '@types/node']) {
      symlinkSync(join(PROJECT, 'node_modules', name), join(this.#home, 'node_modules', name));
    }
  }

  async #start({ text }: Block, kubeconfig: string, port: number): Promise<void> {
    await this.#stop();
    const [node, ...words] = text.replaceAll('\\\n', ' ').trim().split(/\s+/);
    const mainIndex = words.findIndex((word) => !word.startsWith('-'));
    const main = words[mainIndex] ?? expect.fail(`no main file: ${text}`);
    expect(node).toBe('node');
    const flags = words.slice(mainIndex + 1).filter((flag) => flag !== '--log-format=human');
    const program = { file: join(this.#home, main), nodeFlags: words.slice(0, mainIndex) };
    this.#operator = new ManagerProcess(kubeconfig, [...flags, `--webhook-port=${port}`], {}, program);
    await this.#operator.waitForLog('controller started');
  }

  async #stop(): Promise<void> {
    const operator = this.#operator;
    this.#operator = undefined;
    if (operator === undefined) return;
    operator.signal('SIGTERM');
    expect(await operator.exited).toBe(0);
    expect(operator.lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(JSON.stringify(operator.lines)).not.toContain('forbidden');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#operator?.[Symbol.asyncDispose]();
  }
}

test('the commands of the page create an operator with webhooks', { timeout: TIMEOUT_MS }, async () => {
  const { kubeconfig, kubectl, stop } = await startApiServer();
  try {
    await using reader = new PageReader(kubectl);
    const port = await findFreePort();
    await reader.follow('docs/first-operator.md', { kubeconfig, operator: kubeconfig, port });
    await reader.follow('docs/deploying.md', { kubeconfig, operator: kubeconfig, port });
    // With only the rights that the pages give it.
    await reader.follow('docs/webhooks.md', { kubeconfig, operator: writeKubeconfigAs(OPERATOR, kubeconfig), port });
  } finally {
    await stop();
  }
});
