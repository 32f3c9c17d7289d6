/** The commit of an image. */
import { execFileSync } from 'node:child_process';

/** The commit's hash, with `-dirty` when files differ from it; empty outside of a git repository, or without git. */
export function getRevision(project: string): string {
  try {
    const args = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
    return execFileSync('git', ['-C', project, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}
