/** Runs a vitest project with environment variables that a script computes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { isExecutable } from './control-plane/binaries-in-env.ts';

/** Passes the arguments and the exit code of this process on. If `provideEnv` throws, prints the message. */
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

/** Returns the first folder of `PATH` and `more` that contains all programs. */
export function findFolderWith(programs: readonly string[], ...more: readonly string[]): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...more];
  return folders.find((folder) => programs.every((program) => isExecutable(join(folder, program))));
}
