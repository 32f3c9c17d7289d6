/** Executes the code blocks of pages exactly as written. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually } from 'controller-runtime/testing';
import { expect } from 'vitest';
import { run } from '../../../hack/control-plane/run.ts';
import type { PackagePage } from '../../../hack/packages/pages.ts';
import { type Block, findUntestedBlocks, getWord, parseBlocks } from '../../packages/page-blocks.ts';
import { ManagerProcess } from '../../support/manager-process.ts';
import { PROJECT } from '../../support/manifests.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

/** The kubeconfigs of the reader and of the operator, and the port that replaces 9443. */
interface ReaderOptions {
  readonly kubeconfig: string;
  readonly operator: string;
  readonly port: number;
  /** Further environment variables of the reader. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A reader, who follows the instructions of the pages. */
export class PageReader implements AsyncDisposable {
  readonly #parent = createTemporaryFolder();
  /** Folder of the reader's project. */
  readonly home: string;
  readonly #kubectl: string;
  readonly #install: (block: Block) => Promise<void>;
  #operator: ManagerProcess | undefined;

  /**
   * @param kubectl Path.
   * @param options The name of the folder that the pages create, and the replacement of blocks with `test=install`, which works
   *   without a network.
   */
  constructor(
    kubectl: string,
    { folder, install }: { readonly folder: string; readonly install: (block: Block, home: string) => Promise<void> },
  ) {
    this.home = join(this.#parent, folder);
    this.#kubectl = kubectl;
    this.#install = (block) => install(block, this.home);
  }

  async follow({ path, text }: PackagePage, options: ReaderOptions): Promise<void> {
    expect(findUntestedBlocks({ path, text })).toEqual([]);
    const blocks = parseBlocks(text.replaceAll('9443', String(options.port)));
    for (const [index, block] of blocks.entries()) {
      const file = getWord(block, 'file');
      if (file !== undefined) this.#write(file, block.text);
      const next = blocks[index + 1];
      if (getWord(block, 'test') === 'refused') {
        const refusal = next?.text.trim() ?? expect.fail(`${path}:${block.line}: what is it refused with?`);
        await eventually(() => expect(this.#run(block, options)).rejects.toThrow(refusal));
        continue;
      }
      const output = await this.#execute(block, options);
      if (next?.language === 'text' && next.reason === '') expectLastLines(output, next.text, `${path}:${next.line}`);
    }
    await this.#stop();
  }

  /**
   * The word `stop` stops the operator first, as the text before the block says. Resolves to the output of the commands, which is empty for
   * `install` and `operator`.
   */
  async #execute(block: Block, options: ReaderOptions): Promise<string> {
    const instruction = getWord(block, 'test');
    if (instruction === 'stop') await this.#stop();
    if (instruction === 'run' || instruction === 'stop') return await this.#run(block, options);
    if (instruction === 'install') await this.#install(block);
    if (instruction === 'operator') await this.#start(block, options.operator, options.port);
    return '';
  }

  #write(file: string, text: string): void {
    mkdirSync(dirname(join(this.home, file)), { recursive: true });
    writeFileSync(join(this.home, file), text);
  }

  /** The first block creates the folder for the other blocks. */
  async #run({ text }: Block, { kubeconfig, env }: ReaderOptions): Promise<string> {
    const cwd = text.startsWith('mkdir') ? this.#parent : this.home;
    const path = `${dirname(this.#kubectl)}:${process.env['PATH']}`;
    return await run('bash', ['-euc', text], {
      cwd,
      env: { ...process.env, ...env, PATH: path, KUBECONFIG: kubeconfig },
    });
  }

  async #start({ text }: Block, kubeconfig: string, port: number): Promise<void> {
    await this.#stop();
    const [node, ...words] = text.replaceAll('\\\n', ' ').trim().split(/\s+/);
    const mainIndex = words.findIndex((word) => !word.startsWith('-'));
    const main = words[mainIndex] ?? expect.fail(`no main file: ${text}`);
    expect(node).toBe('node');
    const flags = words.slice(mainIndex + 1).filter((flag) => flag !== '--log-format=human');
    const program = { file: join(this.home, main), nodeFlags: words.slice(0, mainIndex) };
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

/** The page shows the output of the last command in a block. */
function expectLastLines(output: string, expected: string, place: string): void {
  const lines = mask(expected);
  expect(mask(output).slice(-lines.length), place).toEqual(lines);
}

/** Replaces times and ages, which differ in each run, and the width of their columns. */
function mask(output: string): readonly string[] {
  const masked = output
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/(?<=\s)(?:\d+[dhms])+(?=\s)/g, '<age>')
    .replaceAll(/ {2,}/g, '  ');
  return masked.trimEnd().split('\n');
}

/** Replaces `npm install --save-dev` of the pages, which needs a network. */
export function linkDevelopmentTools(home: string): void {
  mkdirSync(join(home, 'node_modules/@types'), { recursive: true });
  for (const name of ['.bin/tsc', '.bin/esbuild', '.bin/rolldown', '@types/node']) {
    symlinkSync(join(PROJECT, 'node_modules', name), join(home, 'node_modules', name));
  }
}
