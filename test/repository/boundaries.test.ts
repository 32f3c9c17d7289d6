/** What biome.json, runtime/biome.json and schedule/biome.json refuse: each row is a file that somebody might write. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../hack/control-plane/run.ts';

const PROJECT = join(import.meta.dirname, '../..');
const CONFIGURATION = ['biome.json', 'package.json', ...['biome.json', 'package.json'].flatMap(inPackages)];

function inPackages(name: string): readonly string[] {
  return ['runtime', 'schedule'].map((folder) => join(folder, name));
}

const REFUSED = [
  { file: 'api/shell.ts', imports: '../controllers/cronjob-controller.ts', because: 'knows nothing of the controller' },
  { file: 'api/machinery.ts', imports: 'controller-runtime', because: 'controller-runtime/kubernetes' },
  { file: 'api/generator.ts', imports: 'controller-runtime/manifests', because: 'generates no manifests' },
  { file: 'api/files.ts', imports: 'node:fs', because: 'no files, no sockets, no clock' },
  { file: 'api/other.ts', imports: 'cron-parser', because: 'One folder knows each library' },
  { file: 'api/v1/path.ts', imports: '../../schedule/index.ts', because: 'by their names' },
  { file: 'api/v1/inner.ts', imports: '../../runtime/clock/clock.ts', because: 'by their names' },
  { file: 'api/v1/unit.test.ts', imports: '../../runtime/clock/clock.ts', because: 'by their names' },
  { file: 'controllers/cronjob/shell.ts', imports: '../job-writer.ts', because: 'The rules know neither' },
  { file: 'controllers/cronjob/client.ts', imports: 'controller-runtime', because: 'controller-runtime/kubernetes' },
  { file: 'controllers/cronjob/sockets.ts', imports: 'node:net', because: 'no files, no sockets, no clock' },
  { file: 'controllers/command.ts', imports: '../cmd/flags.ts', because: 'not the other way round' },
  { file: 'controllers/library.ts', imports: 'winston', because: 'One folder knows each library' },
  { file: 'controllers/fake.ts', imports: 'controller-runtime/testing', because: 'depends on no test' },
  { file: 'cmd/tool.ts', imports: '../hack/dev.ts', because: 'depends on no tool' },
  { file: 'cmd/builder.ts', imports: '../test/support/objects.ts', because: 'depends on no tool and on no test' },
  { file: 'cmd/unknown.ts', imports: 'left-pad', because: "isn't specified in package.json" },
  { file: 'cmd/development.ts', imports: 'vitest', because: "isn't specified in package.json" },
  { file: 'cmd/page.ts', imports: '../kubectl-tcj/plugin/ui-server/server.ts', because: 'no part of the manager' },
  { file: 'controllers/page.ts', imports: '../kubectl-tcj/ui/app.ts', because: 'no part of the manager' },
  {
    file: 'controllers/cronjob/page.ts',
    imports: '../../kubectl-tcj/plugin/report/why.ts',
    because: 'no part of the manager',
  },
  { file: 'api/page.ts', imports: '../kubectl-tcj/plugin/report/why.ts', because: 'no part of the manager' },
  { file: 'kubectl-tcj/plugin/ui-server/zod.ts', imports: 'zod', because: 'One folder knows each library' },
  { file: 'kubectl-tcj/plugin/ui-server/tool.ts', imports: '../../../hack/dev.ts', because: 'depends on no tool' },
  {
    file: 'kubectl-tcj/plugin/ui-server/manager.ts',
    imports: '../../../controllers/resources.ts',
    because: 'not on the manager',
  },
  { file: 'hack/inner.ts', imports: '../runtime/clock/clock.ts', because: 'by their names' },
  { file: 'test/envtest/inner.test.ts', imports: '../../runtime/clock/clock.ts', because: 'by their names' },
  {
    file: 'kubectl-tcj/plugin/ui-server/page.ts',
    imports: '../../ui/page.ts',
    because: 'The page is built from the plugin',
  },
  { file: 'kubectl-tcj/ui/files.ts', imports: 'node:fs', because: 'runs in a browser' },
  { file: 'kubectl-tcj/ui/machinery.ts', imports: 'controller-runtime', because: 'controller-runtime/kubernetes' },
  {
    file: 'kubectl-tcj/ui/model/command.ts',
    imports: '../../plugin/session.ts',
    because: 'its reports and the messages',
  },
  { file: 'runtime/manager/api.ts', imports: '../../api/time.ts', because: 'nothing from outside of its folder' },
  { file: 'runtime/manager/test.ts', imports: './manager.test.ts', because: 'nothing from outside of its folder' },
  { file: 'runtime/manager/example.ts', imports: '../examples/website/website.ts', because: 'nothing from outside' },
  { file: 'runtime/manager/library.ts', imports: 'prom-client', because: 'One folder knows each library' },
  { file: 'runtime/log/other.ts', imports: 'undici', because: 'One folder knows each library' },
  { file: 'runtime/cache/unknown.ts', imports: 'left-pad', because: "isn't specified in runtime/package.json" },
  { file: 'runtime/kubernetes/client.ts', imports: '../client/client.ts', because: 'knows nothing of the rest' },
  { file: 'runtime/kubernetes/files.ts', imports: 'node:fs', because: 'no files, no sockets, no clock' },
  { file: 'runtime/examples/a/main.ts', imports: '../../index.ts', because: 'controller-runtime by its name' },
  { file: 'schedule/api.ts', imports: '../api/time.ts', because: 'nothing from outside of its folder' },
  { file: 'schedule/sockets.ts', imports: 'node:net', because: 'no files, no sockets, no clock' },
  { file: 'schedule/machinery.ts', imports: 'controller-runtime', because: "isn't specified in schedule/package.json" },
];

const ALLOWED = [
  { file: 'api/vocabulary.ts', imports: 'controller-runtime/kubernetes' },
  { file: 'api/kind.ts', imports: 'controller-runtime/schema' },
  { file: 'api/zod.ts', imports: 'zod' },
  { file: 'api/with-schedule.ts', imports: 'kubernetes-cron-schedule' },
  { file: 'api/unit.test.ts', imports: 'vitest' },
  { file: 'controllers/cronjob/hash.ts', imports: 'node:crypto' },
  { file: 'controllers/cronjob/resource.ts', imports: '../../api/v1/cronjob-types.ts' },
  { file: 'controllers/machinery.ts', imports: 'controller-runtime' },
  { file: 'cmd/machinery.ts', imports: 'controller-runtime' },
  { file: 'hack/generator.ts', imports: 'controller-runtime/manifests' },
  { file: 'test/simulation/parts.ts', imports: '../../runtime/clock/clock.ts' },
  { file: 'kubectl-tcj/ui/model/report.ts', imports: '../../plugin/report/why.ts' },
  { file: 'kubectl-tcj/ui/model/messages.ts', imports: '../../plugin/ui-server/messages.ts' },
  { file: 'runtime/log/lines.ts', imports: 'winston' },
  { file: 'runtime/manager/client.ts', imports: '../client/client.ts' },
  { file: 'runtime/examples/a/kind.ts', imports: 'controller-runtime' },
];

const folder = mkdtempSync(join(tmpdir(), 'boundaries-'));
let said: readonly string[];

afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(async () => {
  const write = (file: string, source: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), source);
  };
  for (const { file, imports } of [...REFUSED, ...ALLOWED]) write(file, `import '${imports}';\n`);
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
  await expect(run('biome', lint, { cwd: folder })).rejects.toThrow('ended with 1');
  said = readFileSync(report, 'utf8').split('\n');
});

/** What was said about this file. */
function about(file: string): string {
  return said.filter((line) => line.includes(`/${file},`)).join('\n');
}

test.each(REFUSED)('$file may not import $imports', ({ file, because }) => {
  expect(about(file)).toContain(because);
});

test.each(ALLOWED)('$file may import $imports', ({ file }) => {
  expect(about(file)).toBe('');
});

test('two files may not need each other, not even for types', () => {
  expect(about('api/a.ts')).toContain('cycle');
});
