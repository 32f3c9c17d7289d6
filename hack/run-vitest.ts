/** For scripts that provide the values that a vitest project needs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { isExecutable } from './control-plane/binaries-in-env.ts';

/** Runs the tests with the arguments of this process, and exits as they do. Prints the reason when `provideEnv` throws. */
export async function runVitest(project: string, provideEnv: () => Promise<NodeJS.ProcessEnv>): Promise<void> {
  try {
    const env = { ...process.env, ...(await provideEnv()) };
    const vitest = spawn('vitest', ['run', '--project', project, ...process.argv.slice(2)], { stdio: 'inherit', env });
    const [code] = await once(vitest, 'exit');
    process.exitCode = code ?? 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    if (error instanceof Error && error.cause instanceof Error)
      console.error(`  ${error.cause.message.split('\n')[0]}`);
    process.exitCode = 1;
  }
}

/** The first folder of the `PATH`, or of `more`, that has all the programs. */
export function findFolderWith(programs: readonly string[], ...more: readonly string[]): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...more];
  return folders.find((folder) => programs.every((program) => isExecutable(join(folder, program))));
}
