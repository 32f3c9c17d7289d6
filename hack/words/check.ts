/** `make verify` runs this check, which finds vague words in docs, comments, test titles, messages and names, and prints better words. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findVagueWords } from './vague-words.ts';

const TEXTS = [
  '*.ts',
  '*.tsx',
  '*.mjs',
  '*.md',
  '*.yaml',
  '*.tpl',
  '*.txt',
  '*.sh',
  '*.css',
  '*.html',
  '*.json',
  '*.lua',
];
const TEXTS_WITHOUT_SUFFIX = ['Makefile', 'Dockerfile'];
/** Files to skip: texts of other projects, and the list of vague words with its test. */
const EXCEPT = ['hack/words/', '*crds/*', '*/crd.yaml', '*crd/bases/*', '*schemas.json', '*package-lock.json'];

const files = execFileSync(
  'git',
  ['ls-files', '-z', ...TEXTS, ...TEXTS_WITHOUT_SUFFIX, ...EXCEPT.map((path) => `:(exclude)${path}`)],
  { encoding: 'utf8' },
);
const findings = files
  .split('\0')
  .filter((file) => file !== '')
  .flatMap((file) => findVagueWords(readFileSync(file, 'utf8')).map((finding) => ({ file, ...finding })));
for (const { file, line, text, instead } of findings) console.error(`${file}:${line}: "${text}": ${instead}`);
if (findings.length > 0) process.exitCode = 1;
