/** A copy of the project in a temporary folder, in which faults are planted. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { run } from '../control-plane/run.ts';

const PACKAGES = 'node_modules';

export class ScratchCopy implements Disposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** The files of `project` as they are now, those included that are new; and its packages, which are only linked. */
  static async of(project: string): Promise<ScratchCopy> {
    const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: project });
    const folder = mkdtempSync(join(tmpdir(), 'planted-'));
    for (const file of listed.split('\0')) {
      const from = join(project, file);
      if (file !== '' && existsSync(from)) cpSync(from, join(folder, file), { verbatimSymlinks: true });
    }
    linkPackages(join(project, PACKAGES), join(folder, PACKAGES));
    return new ScratchCopy(folder);
  }

  /** What programs find in their environment, in which those of the project come first. */
  get env(): Readonly<Record<string, string>> {
    const path = join(this.folder, PACKAGES, '.bin');
    return { PATH: [path, process.env['PATH']].join(delimiter) };
  }

  plant(patch: string): Promise<string> {
    return this.#apply([patch]);
  }

  removeAgain(patch: string): Promise<string> {
    return this.#apply(['--reverse', patch]);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #apply(args: readonly string[]): Promise<string> {
    // The folder is in no repository, also when one is around it.
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(this.folder) };
    return run('git', ['apply', ...args], { cwd: this.folder, env });
  }
}

/** Links of workspaces lead to the copy, because they are relative. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to);
  const entries = readdirSync(from, { withFileTypes: true });
  for (const entry of entries.filter(({ name }) => name === '.bin' || !name.startsWith('.'))) {
    const path = join(from, entry.name);
    symlinkSync(entry.isSymbolicLink() ? readlinkSync(path) : path, join(to, entry.name));
  }
}
