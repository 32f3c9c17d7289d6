/** Unit tests of rules, as promtool runs them. Its time begins in 1970. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { RULES } from '../../../hack/alerts/alerts.ts';
import { run } from '../../../hack/control-plane/run.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import './provided.ts';

/** Interval between two values of a series. */
const INTERVAL = '1m';

export interface ExpectedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly description: string;
}

export interface RulesCase {
  readonly alert: string;
  /** Values by series, one per minute, in promtool's notation: `1x5` is 1 six times, `_` is a missing value, `stale` ends the series. */
  readonly series: Readonly<Record<string, string>>;
  /** The firing alerts, by the time since the first value. */
  readonly want: Readonly<Record<string, readonly ExpectedAlert[]>>;
}

/** Rejects with promtool's output when other alerts fire. */
export async function testRules({ alert, series, want }: RulesCase): Promise<void> {
  const folder = createTemporaryFolder();
  const save = (name: string, content: unknown) => writeFileSync(join(folder, name), JSON.stringify(content));
  const expected = ({ labels, summary, description }: ExpectedAlert) => ({
    exp_labels: labels,
    exp_annotations: { summary, description, runbook_url: `docs/runbooks/${alert}.md` },
  });
  save('rules.json', RULES);
  save('test.json', {
    rule_files: ['rules.json'],
    evaluation_interval: INTERVAL,
    tests: [
      {
        interval: INTERVAL,
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        alert_rule_test: Object.entries(want).map(([time, alerts]) => ({
          eval_time: time,
          alertname: alert,
          exp_alerts: alerts.map(expected),
        })),
      },
    ],
  });
  await run(inject('promtool'), ['test', 'rules', 'test.json'], { cwd: folder });
}

/** Rejects unless promtool accepts the rules without a warning. */
export async function checkRules(): Promise<string> {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, 'rules.json'), JSON.stringify(RULES));
  return await run(inject('promtool'), ['check', 'rules', '--lint=all', '--lint-fatal', 'rules.json'], { cwd: folder });
}
