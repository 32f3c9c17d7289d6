/** Commands on other Nodes. */
import { execFile } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { inject } from 'vitest';

interface NodeCommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command with a version of Node in PATH, as a shell does: its first line uses env to find node.
 *
 * @param env Its environment, besides PATH.
 */
export function runOnNode(
  version: string,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<NodeCommandResult> {
  const path = [dirname(getNode(version)), '/usr/bin', '/bin'].join(delimiter);
  return new Promise((resolve) => {
    execFile(command, args, { env: { PATH: path, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** Path of the Node of this version. Default: this Node. */
export function getNode(version: string): string {
  return inject('nodes')[version] ?? process.execPath;
}
