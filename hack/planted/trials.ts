/** Plants a fault in a copy of the project and runs a suite there. */
import { type EndedRun, runBounded } from './bounded-run.ts';
import type { Finding } from './findings.ts';
import type { PlantedFault } from './patches.ts';
import type { FoundBy } from './records.ts';
import type { ScratchCopy } from './scratch-copy.ts';
import type { Suite } from './suites.ts';

export interface TrialsOptions {
  readonly copy: Pick<ScratchCopy, 'folder' | 'env' | 'plant' | 'removeAgain'>;
  readonly suites: Readonly<Record<string, Suite>>;
  /** Ends badly when the planted fault does not compile. */
  readonly check: readonly string[];
  /** Makes what suites with `needsBundle` start. */
  readonly build: readonly string[];
  /** Is told of runs without a fault. */
  readonly onHealthyRun: (what: string) => void;
  readonly signal: AbortSignal;
}

export type Trial =
  /** The suite passes without the fault and fails with it. */
  | { readonly kind: 'Found'; readonly by: FoundBy; readonly failure: string; readonly seconds: number }
  | { readonly kind: 'NotFound'; readonly seconds: number }
  /** It is not known whether the suite finds the fault. */
  | { readonly kind: 'Error'; readonly reason: string };

interface Judged {
  readonly finding: Finding;
  readonly seconds: number;
}

const TOOL_TIMEOUT_MS = 300_000;

export class Trials {
  readonly #options: TrialsOptions;
  /** What was seen without a fault, by the command. */
  readonly #healthy = new Map<string, Finding>();

  constructor(options: TrialsOptions) {
    this.#options = options;
  }

  async try({ path }: Pick<PlantedFault, 'path'>, by: FoundBy): Promise<Trial> {
    const { finding, seconds } = await this.#judgeWith(path, by);
    return await this.#confirmed(finding, seconds, by);
  }

  /** As {@link try}; and when the suite finds it, only the test that does is recorded, if it is enough. */
  async trySmallest(fault: Pick<PlantedFault, 'path'>, by: FoundBy): Promise<Trial> {
    const { finding, seconds } = await this.#judgeWith(fault.path, by);
    const test = finding.kind === 'Found' ? finding.test : undefined;
    const part = test === undefined ? undefined : this.#suite(by.suite).partOf?.(test);
    const smaller = part === undefined ? undefined : await this.try(fault, { ...by, part: [...part] });
    return smaller?.kind === 'Found' ? smaller : await this.#confirmed(finding, seconds, by);
  }

  async #confirmed(finding: Finding, seconds: number, by: FoundBy): Promise<Trial> {
    if (finding.kind === 'Error') return finding;
    if (finding.kind === 'NotFound') return { kind: 'NotFound', seconds };
    const healthy = await this.#judgeHealthy(by);
    if (healthy.kind === 'NotFound') return { kind: 'Found', by, failure: finding.failure, seconds };
    const what = healthy.kind === 'Found' ? healthy.failure : healthy.reason;
    return { kind: 'Error', reason: `without the fault ${commandLineOf(by)} does not pass either: ${what}` };
  }

  async #judgeWith(patch: string, by: FoundBy): Promise<Judged> {
    const { copy, check } = this.#options;
    await copy.plant(patch);
    try {
      const wrong = await this.#refusal(check);
      return wrong === undefined ? await this.#judge(by) : unjudged(wrong);
    } finally {
      await copy.removeAgain(patch);
    }
  }

  async #judgeHealthy(by: FoundBy): Promise<Finding> {
    const key = JSON.stringify(by);
    const known = this.#healthy.get(key);
    if (known !== undefined) return known;
    this.#options.onHealthyRun(commandLineOf(by));
    const { finding } = await this.#judge(by);
    this.#healthy.set(key, finding);
    return finding;
  }

  async #judge({ suite: name, part, env }: FoundBy): Promise<Judged> {
    const { copy, build } = this.#options;
    const suite = this.#suite(name);
    const wrong = suite.needsBundle ? await this.#refusal(build) : undefined;
    if (wrong !== undefined) return unjudged(wrong);
    suite.prepare?.(copy.folder);
    const ended = await this.#run([...suite.command, ...part], { ...suite.env, ...env }, suite.timeoutMs);
    return { finding: suite.judge(ended, copy.folder), seconds: ended.seconds };
  }

  #suite(name: string): Suite {
    const suite = this.#options.suites[name];
    if (suite === undefined) throw new Error(`there is no suite ${name}`);
    return suite;
  }

  /** What a tool says when it ends badly. */
  async #refusal(command: readonly string[]): Promise<string | undefined> {
    const { code, output, ended } = await this.#run(command, {}, TOOL_TIMEOUT_MS);
    return code === 0 ? undefined : `${command.join(' ')}: ${ended ?? `ended with ${code}`}: ${output.trim()}`;
  }

  #run(command: readonly string[], env: Readonly<Record<string, string>>, timeoutMs: number): Promise<EndedRun> {
    const { copy, signal } = this.#options;
    return runBounded({ command, cwd: copy.folder, env: { ...copy.env, ...env }, timeoutMs, signal });
  }
}

function unjudged(reason: string): Judged {
  return { finding: { kind: 'Error', reason }, seconds: 0 };
}

/** As people read it. */
export function commandLineOf({ suite, part, env }: FoundBy): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return [...variables, suite, ...part].join(' ');
}
