/**
 * Reads what the last stage of the Dockerfile makes of the image, so that `make image` cannot differ from it. A few
 * instructions are understood; those that need an engine to be carried out are refused.
 */
import type { ImageConfig } from './image-archive.ts';

const UNDERSTOOD: readonly string[] = ['ARG', 'COPY', 'ENTRYPOINT', 'ENV', 'LABEL', 'USER'];

export interface FinalStage {
  readonly config: ImageConfig;
  /** What the stage copies from the stage that builds: path there, path in the image. */
  readonly copies: readonly { readonly from: string; readonly to: string }[];
}

/**
 * Throws, with the line, on what it does not understand.
 *
 * @param args Values of the stage's ARGs, as `--build-arg` gives them. A label that comes out empty is left out.
 */
export function finalStage(dockerfile: string, args: Readonly<Record<string, string>> = {}): FinalStage {
  const lines = linesOfLastStage(dockerfile).map((line) => ({ line, words: line.split(/\s+/).slice(1) }));
  const of = (instruction: string) => lines.filter(({ line }) => line.startsWith(`${instruction} `));
  const unknown = lines.find(({ line }) => !UNDERSTOOD.some((instruction) => line.startsWith(`${instruction} `)));
  if (unknown !== undefined) throw new Error(`Dockerfile: without an engine this cannot be done: ${unknown.line}`);

  const entrypoint = of('ENTRYPOINT').at(-1);
  const user = of('USER').at(-1)?.words.join(' ');
  const labels = Object.assign({}, ...of('LABEL').map(({ line }) => labelsOf(line, args)));
  const config = {
    Env: of('ENV').flatMap(({ words }) => words),
    Entrypoint: entrypoint === undefined ? [] : stringArray(entrypoint.words.join(' '), entrypoint.line),
    ...(user === undefined ? {} : { User: user }),
    ...(Object.keys(labels).length === 0 ? {} : { Labels: labels }),
  };
  return { config, copies: of('COPY').map(({ line, words }) => copyFromBuild(words, line)) };
}

function labelsOf(line: string, args: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const pairs = [...line.matchAll(/\s([\w.-]+)="([^"]*)"/g)];
  const understood = pairs.map(([pair]) => pair.trim()).join(' ');
  if (`LABEL ${understood}` !== line.replace(/\s+/g, ' ')) {
    throw new Error(`Dockerfile: only LABEL NAME="VALUE" is understood: ${line}`);
  }
  return Object.fromEntries(
    pairs.map(([, name = '', value = '']) => [name, substitute(value, args)]).filter(([, value]) => value !== ''),
  );
}

/** `${NAME}` and `${NAME:-value when empty}`. */
function substitute(value: string, args: Readonly<Record<string, string>>): string {
  return value.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, empty = '') => args[name] || empty);
}

function linesOfLastStage(dockerfile: string): readonly string[] {
  const lines = dockerfile
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  return lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')) + 1);
}

function copyFromBuild([stage, from, to, ...rest]: readonly string[], line: string): { from: string; to: string } {
  if (stage !== '--from=build' || from === undefined || to === undefined || rest.length > 0) {
    throw new Error(`Dockerfile: only "COPY --from=build FILE FILE" is understood: ${line}`);
  }
  return { from, to };
}

function stringArray(text: string, line: string): readonly string[] {
  const value: unknown = JSON.parse(text);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new Error(`Dockerfile: a list of strings is needed: ${line}`);
}
