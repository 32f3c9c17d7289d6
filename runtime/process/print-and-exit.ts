import { ignoreClosedPipe } from './ignore-closed-pipe.ts';

export interface ProcessOutput {
  /** Exit code of the process, from 0 to 255. */
  readonly exitCode: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** Writes the output and then exits. `process.exit` alone would discard buffered output. */
export async function printAndExit({ exitCode, stdout = '', stderr = '' }: ProcessOutput): Promise<never> {
  ignoreClosedPipe();
  await Promise.all([write(process.stdout, stdout), write(process.stderr, stderr)]);
  process.exit(exitCode);
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()));
}
