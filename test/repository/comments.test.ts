import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** Words that stand for a noun or an actor: CONTRIBUTING.md says what to write instead. */
const VAGUE = /\b(told|somebody|whoever|those (?:that|who)|of which)\b/i;

const isComment = (line: string) => /^\s*(?:\/\/|\/?\*)/.test(line);

test('comments name the actor and the thing', () => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  const vague = files.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (isComment(line) && VAGUE.test(line) ? [`${file}:${index + 1}:${line}`] : [])),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(vague).toEqual([]);
});
