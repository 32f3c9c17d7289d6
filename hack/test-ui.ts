/** `make test-ui`: the page of `kubectl tcj ui` in a real Chromium, against a real API server. Arguments go to vitest. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Progress } from './control-plane/progress.ts';
import { provideChromium } from './ui/provide-chromium.ts';

try {
  const chromium = await provideChromium({ env: process.env, progress: new Progress() });
  const vitest = spawn('vitest', ['run', '--project', 'ui', ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, UI: '1', CHROMIUM: chromium },
  });
  const [code] = await once(vitest, 'exit');
  process.exitCode = code ?? 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof Error && error.cause instanceof Error) console.error(`  ${error.cause.message.split('\n')[0]}`);
  process.exitCode = 1;
}
