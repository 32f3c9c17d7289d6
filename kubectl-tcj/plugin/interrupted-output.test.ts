import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { core } from 'controller-runtime/kubernetes';
import { FakeApiServer } from 'controller-runtime/testing';
import { expect, test } from 'vitest';
import { CronJob } from '../../api/v1/cronjob-types.ts';
import { cronJob } from '../../test/support/cron-jobs.ts';
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts';

const PLUGIN = join(import.meta.dirname, 'main.ts');
/** More than the buffers of a pipe and of a stream. */
const LONG_TEXT = 'x'.repeat(4_000_000);

test.each(['logs hello', 'logs hello -f', 'list -o name'])(
  'Ctrl-C ends %s while its output is not read',
  async (line) => {
    await using server = await FakeApiServer.start();
    const jobName = 'hello-1767225600';
    server.put(CronJob, cronJob({}, { recentRuns: [`2026-01-01T00:00:00Z Running ${jobName} Schedule`] }));
    server.put(CronJob, { ...cronJob(), metadata: { namespace: 'default', name: LONG_TEXT } });
    server.put(core.v1.pods, {
      metadata: { namespace: 'default', name: 'pod', labels: { 'batch.kubernetes.io/job-name': jobName } },
      spec: { containers: [{ name: 'work', image: 'busybox' }] },
      status: { containerStatuses: [{ name: 'work', restartCount: 0, state: { running: {} } }] } as object,
    });
    server.fail({ subresource: 'log' }, { kind: 'text', code: 200, text: LONG_TEXT });
    const kubeconfig = join(createTemporaryFolder(), 'kubeconfig');
    writeFileSync(kubeconfig, server.kubeconfig);
    const args = [PLUGIN, ...line.split(' '), '--kubeconfig', kubeconfig];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    await once(child.stdout, 'readable');
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
  },
);
