import { execFileSync } from 'node:child_process';

/** Returns the hash of the commit, with `-dirty` if files have changed, or an empty text without git or a git repository. */
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
