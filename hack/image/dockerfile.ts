/**
 * Reads what the last stage of the Dockerfile makes of the image, so that `make image` cannot differ from it. A few
 * instructions are understood; those that need an engine to be carried out are refused.
 */
import type { ImageConfig } from './image-archive.ts';

export interface FinalStage {
  readonly config: ImageConfig;
  /** What the stage copies from the stage that builds: path there, path in the image. */
  readonly copies: readonly { readonly from: string; readonly to: string }[];
}

/** Throws, with the line, on what it does not understand. */
export function finalStage(dockerfile: string): FinalStage {
  const env: string[] = [];
  const copies: { from: string; to: string }[] = [];
  let entrypoint: readonly string[] = [];
  let user: string | undefined;
  for (const line of linesOfLastStage(dockerfile)) {
    const [instruction = '', ...words] = line.split(/\s+/);
    if (instruction === 'ENV') env.push(...words);
    else if (instruction === 'USER') user = words.join(' ');
    else if (instruction === 'ENTRYPOINT') entrypoint = stringArray(words.join(' '), line);
    else if (instruction === 'COPY') copies.push(copyFromBuild(words, line));
    else if (instruction !== 'LABEL') throw new Error(`Dockerfile: without an engine this cannot be done: ${line}`);
  }
  return { config: { Env: env, Entrypoint: entrypoint, ...(user === undefined ? {} : { User: user }) }, copies };
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
