/** What biome.json, runtime/biome.json and schedule/biome.json refuse: each row is a file that a developer might write. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../hack/control-plane/run.ts';

const PROJECT = join(import.meta.dirname, '../..');
const CONFIGURATION = [
  'biome.json',
  'package.json',
  'api/package.json',
  ...['biome.json', 'package.json'].flatMap(listPaths),
];

function listPaths(name: string): readonly string[] {
  return ['runtime', 'schedule'].map((folder) => join(folder, name));
}

const REFUSED: readonly (readonly [file: string, imports: string, because: string])[] = [
  ['api/shell.ts', '../controllers/cronjob-controller.ts', 'knows nothing of the controller'],
  ['api/machinery.ts', 'controller-runtime', 'controller-runtime/kubernetes'],
  ['api/internal.ts', 'controller-runtime/internal', 'controller-runtime/kubernetes'],
  ['api/generator.ts', 'controller-runtime/manifests', 'generates no manifests'],
  ['api/files.ts', 'node:fs', 'no files, no sockets, no clock'],
  ['api/other.ts', 'cron-parser', 'One folder knows each library'],
  ['api/unknown.ts', 'left-pad', "isn't specified in api/package.json"],
  ['api/v1/path.ts', '../../schedule/index.ts', 'by their names'],
  ['api/v1/inner.ts', '../../runtime/clock/clock.ts', 'by their names'],
  ['api/v1/unit.test.ts', '../../runtime/clock/clock.ts', 'by their names'],
  ['controllers/cronjob/shell.ts', '../job-writer.ts', 'The rules know neither'],
  ['controllers/cronjob/client.ts', 'controller-runtime', 'controller-runtime/kubernetes'],
  ['controllers/cronjobrun/shell.ts', '../job-writer.ts', 'The rules know neither'],
  ['controllers/cronjob/sockets.ts', 'node:net', 'no files, no sockets, no clock'],
  ['controllers/command.ts', '../cmd/flags.ts', 'not the other way round'],
  ['controllers/library.ts', 'winston', 'One folder knows each library'],
  ['controllers/fake.ts', 'controller-runtime/testing', 'depends on no test'],
  ['cmd/tool.ts', '../hack/dev.ts', 'depends on no tool'],
  ['cmd/builder.ts', '../test/support/objects.ts', 'depends on no tool and on no test'],
  ['cmd/unknown.ts', 'left-pad', "isn't specified in package.json"],
  ['cmd/development.ts', 'vitest', "isn't specified in package.json"],
  ['cmd/page.ts', '../kubectl-tcj/plugin/ui-server/server.ts', 'no part of the manager'],
  ['controllers/page.ts', '../kubectl-tcj/ui/app.ts', 'no part of the manager'],
  ['controllers/cronjob/page.ts', '../../kubectl-tcj/plugin/report/why.ts', 'no part of the manager'],
  ['api/page.ts', '../kubectl-tcj/plugin/report/why.ts', 'no part of the manager'],
  ['kubectl-tcj/plugin/ui-server/zod.ts', 'zod', 'One folder knows each library'],
  ['kubectl-tcj/plugin/ui-server/tool.ts', '../../../hack/dev.ts', 'depends on no tool'],
  ['kubectl-tcj/plugin/ui-server/manager.ts', '../../../controllers/resources.ts', 'not on the manager'],
  ['hack/inner.ts', '../runtime/clock/clock.ts', 'by their names'],
  ['test/envtest/inner.test.ts', '../../runtime/clock/clock.ts', 'by their names'],
  ['kubectl-tcj/plugin/ui-server/page.ts', '../../ui/page.ts', 'The page is built from the plugin'],
  ['kubectl-tcj/ui/files.ts', 'node:fs', 'runs in a browser'],
  ['kubectl-tcj/ui/machinery.ts', 'controller-runtime', 'controller-runtime/kubernetes'],
  ['kubectl-tcj/ui/model/command.ts', '../../plugin/cluster-session.ts', 'its reports and the messages'],
  ['runtime/manager/api.ts', '../../api/time.ts', 'nothing from outside of its folder'],
  ['runtime/manager/test.ts', './manager.test.ts', 'nothing from outside of its folder'],
  ['runtime/manager/example.ts', '../examples/website/website.ts', 'nothing from outside'],
  ['runtime/manager/library.ts', 'prom-client', 'One folder knows each library'],
  ['runtime/log/other.ts', 'undici', 'One folder knows each library'],
  ['runtime/cache/unknown.ts', 'left-pad', "isn't specified in runtime/package.json"],
  ['runtime/kubernetes/client.ts', '../client/client.ts', 'knows nothing of the rest'],
  ['runtime/kubernetes/files.ts', 'node:fs', 'no files, no sockets, no clock'],
  ['runtime/examples/a/main.ts', '../../index.ts', 'controller-runtime by its name'],
  ['schedule/api.ts', '../api/time.ts', 'nothing from outside of its folder'],
  ['schedule/sockets.ts', 'node:net', 'no files, no sockets, no clock'],
  ['schedule/machinery.ts', 'controller-runtime', "isn't specified in schedule/package.json"],
];

const ALLOWED: readonly (readonly [file: string, imports: string])[] = [
  ['api/vocabulary.ts', 'controller-runtime/kubernetes'],
  ['api/kind.ts', 'controller-runtime/schema'],
  ['api/zod.ts', 'zod'],
  ['api/with-schedule.ts', 'kubernetes-cron-schedule'],
  ['api/unit.test.ts', 'vitest'],
  ['controllers/cronjob/hash.ts', 'node:crypto'],
  ['controllers/cronjob/resource.ts', '../../api/v1/cronjob-types.ts'],
  ['controllers/machinery.ts', 'controller-runtime'],
  ['cmd/machinery.ts', 'controller-runtime'],
  ['hack/generator.ts', 'controller-runtime/manifests'],
  ['test/simulation/parts.ts', '../../runtime/clock/clock.ts'],
  ['kubectl-tcj/ui/model/report.ts', '../../plugin/report/why.ts'],
  ['kubectl-tcj/ui/model/messages.ts', '../../plugin/ui-server/page-messages.ts'],
  ['runtime/log/lines.ts', 'winston'],
  ['runtime/manager/client.ts', '../client/client.ts'],
  ['runtime/examples/a/kind.ts', 'controller-runtime'],
];

const folder = mkdtempSync(join(tmpdir(), 'boundaries-'));
let lintOutput: readonly string[];

afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(async () => {
  const write = (file: string, source: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), source);
  };
  for (const [file, imports] of [...REFUSED, ...ALLOWED]) write(file, `import '${imports}';\n`);
  write('api/a.ts', `import type { B } from './b.ts';\n\nexport type A = B;\n`);
  write('api/b.ts', `import type { A } from './a.ts';\n\nexport type B = A;\n`);
  for (const file of CONFIGURATION) copyFileSync(join(PROJECT, file), join(folder, file));
  const report = join(folder, 'report.txt');
  const lint = [
    'lint',
    '--vcs-enabled=false',
    '--max-diagnostics=none',
    '--reporter=github',
    `--reporter-file=${report}`,
  ];
  await expect(run('biome', lint, { cwd: folder })).rejects.toThrow('exited with 1');
  lintOutput = readFileSync(report, 'utf8').split('\n');
});

/** Biome's diagnostics for this file. */
function filterOutput(file: string): string {
  return lintOutput.filter((line) => line.includes(`/${file},`)).join('\n');
}

test.each(REFUSED)('%s may not import %s', (file, _imports, because) => {
  expect(filterOutput(file)).toContain(because);
});

test.each(ALLOWED)('%s may import %s', (file) => {
  expect(filterOutput(file)).toBe('');
});

test('two files may not import each other, not even types', () => {
  expect(filterOutput('api/a.ts')).toContain('cycle');
});
