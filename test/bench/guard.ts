/**
 * `make bench-guard`: fails if a burst of runs has become slower than the recorded ratios to a plain client on the same machine. Takes two
 * minutes, and four if the first attempt fails. Checks nothing while other programs use the processors. docs/performance.md describes the benchmark.
 */
import { Progress } from '../../hack/control-plane/progress.ts';
import { type CheckVerdict, reportVerdict } from '../../hack/supply-chain/check-verdict.ts';
import { burst } from './performance/burst.ts';
import { compareWithLimits, isDisturbed, type TrialPair } from './performance/limits.ts';
import { measureBusyShare } from './performance/quiet-machine.ts';
import { createStopSignal } from './performance/stop-signal.ts';

const COUNT = 500;
const ATTEMPTS = 2;
/** Share of all processors that other programs may use. */
const MAX_BUSY_SHARE = 0.3;
const BUSY: CheckVerdict = { kind: 'not checked', reason: 'other programs use the processors' };

async function measurePair(progress: Progress, signal: AbortSignal): Promise<TrialPair> {
  const bench = { controllerManager: '', progress, signal }; // Kubernetes' controller is not compared
  const raw = await burst(bench, { scenario: 'burst', count: COUNT, driver: 'raw' });
  const ours = await burst(bench, { scenario: 'burst', count: COUNT, driver: 'ours' });
  return { raw, ours };
}

async function guard(): Promise<CheckVerdict> {
  if (process.platform !== 'linux') return { kind: 'not checked', reason: 'CPU is read from /proc, which needs Linux' };
  const progress = new Progress(process.stderr);
  const { signal } = createStopSignal();
  if ((await measureBusyShare(signal)) > MAX_BUSY_SHARE) return BUSY;
  const pairs: TrialPair[] = [];
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const pair = await measurePair(progress, signal);
    if (isDisturbed(pair)) continue;
    pairs.push(pair);
    if (compareWithLimits(pairs).length === 0) return { kind: 'passed' };
  }
  if (pairs.length > 0) return { kind: 'failed', problems: compareWithLimits(pairs) };
  return BUSY;
}

reportVerdict(await guard());
