/** kubectl tcj as a user on call runs it: a real API server, a running manager, and the output that the user sees. */
import { expect, test } from 'vitest';
import { AdmissionGate, CRON_JOB_UPDATES } from '../support/admission-gate.ts';
import { Scene } from '../support/scene.ts';
import { createSource } from './support/batch-source.ts';
import { grant, READ_CRON_JOBS } from './support/grant.ts';
import { getOnlyJob, tcj } from './support/tcj.ts';

test('why explains a backup that did not run, and suspend suspends it', async () => {
  await using scene = await Scene.open();
  await scene.startManager();
  expect(await tcj(scene, 'list')).toEqual({
    code: 0,
    out: '',
    err: `No CronJobs found in namespace ${scene.namespace}. Use -A to search all namespaces.\n`,
  });
  await scene.createCronJob({ schedule: '* * * * *', concurrencyPolicy: 'Forbid' }, 'backup');
  await scene.createCronJob({ schedule: '0 0 1 1 *', suspend: true }, 'archive');
  await scene.passNextMinute();
  const job = await getOnlyJob(scene);
  await scene.finish(job, 'Failed');
  await scene.eventually(async () =>
    expect((await tcj(scene, 'list')).out).toMatch(
      /^NAME {6}STATE {7}LAST RUN +NEXT +SCHEDULE +TIMEZONE\nbackup {4}Failed {6}Failed .* ago +in \d+s +\* \* \* \* \* +UTC\narchive {3}Suspended {3}<none> +<none> +0 0 1 1 \* +UTC\n$/,
    ),
  );
  const { out } = await tcj(scene, 'why backup');
  expect(out).toMatch(/^The run of \w{3} .* UTC failed after .*\. The next run is due .* \(in \d+s\)\.\n/);
  expect(out).toContain('The Pods no longer exist');

  expect((await tcj(scene, 'suspend backup --for 2h')).out).toMatch(
    new RegExp(`^${scene.namespace}/backup suspended until \\w{3} .* UTC \\(in 120m\\)\n$`),
  );
  await scene.eventually(async () =>
    expect((await tcj(scene, 'why backup')).out).toMatch(
      /^No run starts before .*, because of spec\.suspendUntil\. The suspension skips .*\. The run of .* failed after .*\.\nTo do: kubectl tcj resume backup -n /,
    ),
  );
  expect((await tcj(scene, 'resume backup')).out).toBe(`${scene.namespace}/backup resumed\n`);
  expect((await tcj(scene, 'resume backup')).out).toBe(`${scene.namespace}/backup is not suspended or paused\n`);
  expect((await scene.cronJob('backup')).spec).toMatchObject({ suspend: false });
  expect((await scene.cronJob('backup')).spec).not.toHaveProperty('suspendUntil');

  expect((await tcj(scene, 'history backup')).out).toMatch(
    new RegExp(
      `^TIME +RESULT +DURATION +DELAY +JOB +DETAILS\n\\w{3} .* UTC +Failed +\\d+s +\\S+ +${job.metadata.name} +\\S`,
    ),
  );
  expect((await tcj(scene, 'next --within 3m')).out).toMatch(
    /^Times are in UTC\.\nTIME +IN +NAME +SCHEDULE\n(\w{3} \S+ \d\d:\d\d +\S+ +backup +\* \* \* \* \*\n){2,3}Not listed because suspended or paused: archive\n$/,
  );
});

test('list reports that only batch/v1 CronJobs exist, if the user may list them', async () => {
  await using scene = await Scene.open();
  const { namespace } = scene;
  await createSource(scene, { metadata: { labels: { team: 'data' } } });
  const hint = /There are batch\/v1 CronJobs; see "kubectl tcj import --help" to move them to this operator\.\n$/;
  expect((await tcj(scene, 'list')).err).toMatch(hint);
  expect((await tcj(scene, 'list -l team=data')).err).toMatch(hint);
  expect((await tcj(scene, 'list -l team=other')).err).not.toMatch(hint);
  await grant(scene.client, 'newcomer', namespace, [READ_CRON_JOBS]);
  await scene.eventually(async () =>
    expect(await tcj(scene, 'list --as newcomer')).toEqual({
      code: 0,
      out: '',
      err: `No CronJobs found in namespace ${namespace}. Use -A to search all namespaces.\n`,
    }),
  );
  await scene.createCronJob({ suspend: true }, 'ours');
  expect((await tcj(scene, 'list')).err).toBe('');
});

/** Creates CronJobs that are never due, with the label uses=database. */
async function createWithLabels(scene: Scene, specs: Readonly<Record<string, object>>): Promise<void> {
  for (const [name, spec] of Object.entries(specs)) {
    await scene.createCronJob({ schedule: '0 0 1 1 *', ...spec }, name);
    await scene.patch({ metadata: { labels: { uses: 'database' } } }, name);
  }
}

test('suspend keeps a longer suspension, and reports what it does not stop', async () => {
  await using scene = await Scene.open();
  await createWithLabels(scene, {
    archive: { suspend: true },
    mirror: { timeZone: 'Asia/Tokyo' },
    report: { timeZone: 'America/Lima' },
  });
  await scene.startManager();
  await scene.waitUntilObserved('report');
  await tcj(scene, 'run report');
  const { namespace } = scene;
  const { code, out, err } = await tcj(scene, 'suspend -l uses=database --until 06:00');
  const [job] = await scene.waitForJobs(1);
  expect(code).toBe(1);
  const [zones, archive, nothing] = err.split('\n');
  expect(zones).toMatch(
    /^--until 06:00 means \d different times, because the time zones of the schedules differ; for one time, use --until \d{4}-\S+Z$/,
  );
  const [mirror, report] = out.trimEnd().split('\n');
  expect(archive).toBe(
    `${namespace}/archive is already suspended without an end; not changed: to set another time, resume it first`,
  );
  expect(nothing).toBe('');
  expect(mirror).toMatch(/\/mirror suspended until \w{3} \S+ 06:00 Asia\/Tokyo \(in \w+\)$/);
  expect(report).toContain(`; active runs continue: ${job?.metadata.name}`);
  expect((await scene.cronJob('archive')).spec).toMatchObject({ suspend: true });

  const until = (await scene.cronJob('mirror')).spec.suspendUntil;
  expect(await tcj(scene, 'suspend mirror --for 1m')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/ is already suspended until .*06:00 Asia\/Tokyo; not changed: /),
  });
  expect((await scene.cronJob('mirror')).spec.suspendUntil).toBe(until);
  expect((await tcj(scene, 'suspend mirror')).out).toBe(`${namespace}/mirror suspended\n`);
  expect(await tcj(scene, 'suspend mirror')).toEqual({
    code: 0,
    out: `${namespace}/mirror is already suspended\n`,
    err: '',
  });
});

test('a dry run changes nothing, and -o prints the changed objects as kubectl does', async () => {
  await using scene = await Scene.open();
  await createWithLabels(scene, { one: {}, two: {} });
  const { namespace } = scene;
  expect((await tcj(scene, 'suspend -l uses=database --dry-run')).out).toBe(
    `${namespace}/one suspended (server dry run)\n${namespace}/two suspended (server dry run)\n`,
  );
  expect((await scene.cronJob('one')).spec.suspend).toBe(false);
  expect(await tcj(scene, 'suspend -l uses=database -o name')).toEqual({
    code: 0,
    out: 'cronjob.batch.tutorial.kubebuilder.io/one\ncronjob.batch.tutorial.kubebuilder.io/two\n',
    err: `${namespace}/one suspended\n${namespace}/two suspended\n`,
  });
  const { out } = await tcj(scene, 'resume -l uses=database --dry-run -o json');
  const { kind, items } = JSON.parse(out);
  expect(kind).toBe('List');
  expect(items).toMatchObject(
    ['one', 'two'].map((name) => ({ kind: 'CronJob', metadata: { name, namespace }, spec: { suspend: false } })),
  );
  expect(out).not.toContain('managedFields');
  expect((await scene.cronJob('one')).spec.suspend).toBe(true);
  expect((await tcj(scene, 'resume one -o yaml')).out).toMatch(/^apiVersion: .*\nkind: CronJob\nmetadata:\n/);
  expect((await tcj(scene, 'resume one -o name')).out).toBe('cronjob.batch.tutorial.kubebuilder.io/one\n');
  expect((await scene.cronJob('one')).spec.suspend).toBe(false);
});

test('suspends many CronJobs, and names the refused ones', async () => {
  await using scene = await Scene.open();
  await createWithLabels(scene, { one: {}, two: {}, three: {} });
  const { namespace, client } = scene;
  await using gate = await AdmissionGate.open(client, { namespaces: [namespace], rules: [CRON_JOB_UPDATES] });
  gate.verdict = ({ name }) => (name === 'three' ? 'deny' : 'allow');
  const { code, out, err } = await tcj(scene, 'suspend -l uses=database');
  expect([code, out]).toEqual([1, `${namespace}/one suspended\n${namespace}/two suspended\n`]);
  expect(err).toMatch(new RegExp(`^${namespace}/three: the API server: admission webhook .* denied`));
});

test('reports each impossible request in a sentence, with an exit code', async () => {
  await using scene = await Scene.open();
  await scene.createCronJob({ suspend: true }, 'nightly-backup');
  await createSource(scene, { metadata: { name: 'report' } });
  const cases: readonly (readonly [line: string, code: number, err: RegExp])[] = [
    [
      'why nothing',
      1,
      /^kubectl tcj why: CronJob "nothing" not found in namespace \S+; use "kubectl tcj list -A" to list all CronJobs\n$/,
    ],
    ['why team/nightly', 1, /"team\/nightly" is not a valid name; use -n for the namespace: nightly -n team\n$/],
    ['-A list', 2, /flags must come after the command/],
    ['why', 2, /^kubectl tcj why: missing required argument 'name'; see kubectl tcj why --help\n$/],
    ['why a --at noon', 1, /CronJob "a" not found/],
    ['list -l a=', 0, /^No CronJobs with labels a= found in namespace \S+\. Use -A to search all namespaces\.\n$/],
    ['list -A -l uses=nothing-at-all', 0, /^No CronJobs with labels uses=nothing-at-all found\.\n/],
    ['list -l ,,', 1, /^kubectl tcj list: /],
    [
      'list -o text',
      2,
      /--output: "text" is not valid: use one of wide, name, json, yaml; see kubectl tcj list --help\n$/,
    ],
    ['next --from 2am', 2, /--from: "2am" is not valid: use 02:00, 2026-11-23 02:00 or 2026-11-23T02:00:00Z; see/],
    [
      'next --time-zone Europe/Brelin',
      2,
      /--time-zone: unknown time zone "Europe\/Brelin"; did you mean "Europe\/Berlin"\?/,
    ],
    ['next --within 9d', 2, /--within: "9d" is not valid: use a duration \(1s to 168h\),/],
    ['suspend a --dry-run=server', 2, /^kubectl tcj suspend: --dry-run does not take a value; use it alone\n$/],
    ['suspend', 2, /specify a CronJob name or a label selector \(-l\)/],
    ['suspend a -l b=c', 2, /specify a CronJob name or a label selector \(-l\)/],
    ['suspend -l b=c', 1, /no CronJobs in namespace \S+ match the label selector; use -A to search all namespaces\n$/],
    ['resume -l b=c-of-no-cronjob -A', 1, /: no CronJobs match the label selector\n$/],
    ['suspend a --for 1h --until 06:00', 2, /--for and --until are mutually exclusive/],
    [
      'run nightly-backup',
      1,
      /^kubectl tcj run: no manager has reconciled this CronJob, so no run would start; check that the manager runs\n$/,
    ],
    ['run a --timeout 1m', 2, /--timeout requires --wait or --logs/],
    ['run a -o name --logs', 2, /--output and --logs are mutually exclusive/],
    ['import', 2, /specify a CronJob name, a label selector \(-l\) or --all/],
    ['import a --all', 2, /specify a CronJob name, a label selector \(-l\) or --all/],
    ['import a -A', 2, /--all-namespaces requires -l or --all/],
    ['import a --timeout 1h', 2, /--timeout requires --wait; see/],
    ['import a --wait --timeout soon', 2, /--timeout: "soon" is not valid/],
    ['import a --dry-run --print b', 2, /--dry-run and --print are mutually exclusive/],
    ['import a --revert --print b', 2, /--revert and --print are mutually exclusive/],
    ['import nothing', 1, /batch\/v1 CronJob "nothing" not found/],
    ['resume nightly-backup -o text', 2, /--output: "text" is not valid/],
    ['list --context nowhere', 1, /there is no context "nowhere"; `kubectl config get-contexts` lists them/],
    ['lsit', 2, /^kubectl tcj: unknown command "lsit"; did you mean "list"\?\n$/],
    ['hist a', 2, /unknown command "hist"; did you mean "history"\?\n$/],
    ['trigger', 2, /unknown command "trigger"; see kubectl tcj --help\n$/],
    ['list --namspace a', 2, /^kubectl tcj list: unknown option '--namspace'; did you mean --namespace\?\n$/],
    ['why nigtly-backup', 1, /CronJob "nigtly-backup" not found in namespace \S+; did you mean "nightly-backup"\?\n$/],
    ['resume nightly', 1, /did you mean "nightly-backup"\?\n$/],
    ['import repotr --dry-run', 1, /batch\/v1 CronJob "repotr" not found in namespace \S+; did you mean "report"\?\n$/],
  ];
  for (const [line, code, err] of cases) {
    const result = await tcj(scene, line);
    expect({ line, ...result }).toMatchObject({ line, code, out: '' });
    expect(result.err).toMatch(err);
  }
  expect((await tcj(scene, 'help why')).out).toMatch(/^Usage: kubectl tcj why /);
});

test('--as and --as-group impersonate as in kubectl', async () => {
  await using scene = await Scene.open();
  await scene.createCronJob({ suspend: true }, 'ours');
  const list = async (flags: string) => await tcj(scene, `list -o name ${flags}`);
  expect((await list('--as jane')).err).toContain('User "jane" cannot list');
  expect(await list('--as jane --as-group dev --as-group system:masters')).toMatchObject({ code: 0 });
  expect(await list('--as-group dev')).toMatchObject({ code: 2, err: expect.stringContaining('requires --as') });
});
