/** Checks that the sources import each other only as rules.ts says: `node hack/layers/check.ts`. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf } from './imports.ts';
import { brokenRules } from './rules.ts';

const PROJECT = join(import.meta.dirname, '../..');

const files = globSync('{schedule,api,controllers,runtime,cmd,hack,test}/**/*.ts', { cwd: PROJECT }).sort();
const graph = new Map(files.map((file) => [file, importsOf(file, readFileSync(join(PROJECT, file), 'utf8'))]));
const broken = brokenRules(graph);
for (const sentence of broken) console.error(sentence);
if (broken.length > 0) process.exitCode = 1;
