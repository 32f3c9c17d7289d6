import { ignoreClosedPipe } from './ignore-closed-pipe.ts';

export interface Output {
  /** 0 to 255. */
  readonly exitCode: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

/**
 * Ends the process once all output is written: a pipe may accept text after `write` returns, and `exit` does not wait.
 */
export async function printAndExit({ exitCode, stdout = '', stderr = '' }: Output): Promise<never> {
  ignoreClosedPipe();
  await Promise.all([write(process.stdout, stdout), write(process.stderr, stderr)]);
  process.exit(exitCode);
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()));
}
