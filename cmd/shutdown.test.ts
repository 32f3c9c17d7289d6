import { readFileSync } from 'node:fs';
import { parseFlags } from 'controller-runtime';
import { longestShutdownMs } from 'controller-runtime/internal';
import { expect, test } from 'vitest';
import { MANAGER_PROGRAM } from './flags.ts';

test.each(['config/manager/manager.yaml', 'charts/cronjob-operator/templates/deployment.yaml'])(
  '%s has a grace period longer than the longest shutdown of the manager',
  (file) => {
    const text = readFileSync(file, 'utf8');
    expect(text, 'the defaults hold').not.toMatch(/--(graceful-shutdown-timeout|webhook-shutdown-delay)=/);
    const parsed = parseFlags(MANAGER_PROGRAM, []);
    if (parsed.kind !== 'run') return expect.unreachable();
    const graceSeconds = Number(/terminationGracePeriodSeconds: (\d+)/.exec(text)?.[1]);
    expect(graceSeconds * 1000).toBeGreaterThanOrEqual(longestShutdownMs(parsed.flags));
  },
);
