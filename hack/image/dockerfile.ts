/** Parses the last stage of the Dockerfile, from which `make image` builds its image. Rejects instructions that need a container engine. */
import type { ImageConfig } from './image-archive.ts';

export interface FinalStage {
  readonly config: ImageConfig;
  /** The files that the stage copies: their paths in the build stage and in the image. */
  readonly copies: readonly { readonly from: string; readonly to: string }[];
}

/**
 * Throws an error with the line of an unsupported instruction.
 *
 * @param args Values of `ARG`s, like the option `--build-arg` of Docker. Labels with an empty value are omitted.
 */
export function parseFinalStage(dockerfile: string, args: Readonly<Record<string, string>> = {}): FinalStage {
  const config = { Env: [] as string[], Entrypoint: [] as string[], Labels: {}, User: '' };
  const copies: { from: string; to: string }[] = [];
  const instructions: Readonly<Record<string, (rest: string) => unknown>> = {
    ARG: () => undefined,
    ENV: (rest) => config.Env.push(...rest.split(' ')),
    USER: (rest) => Object.assign(config, { User: rest }),
    ENTRYPOINT: (rest) => Object.assign(config, { Entrypoint: JSON.parse(rest) }),
    LABEL: (rest) => Object.assign(config.Labels, parseLabels(rest, args)),
    'COPY --from=build': (rest) => {
      const [from = '', to = ''] = rest.split(' ');
      copies.push({ from, to });
    },
  };
  for (const line of listFinalStageLines(dockerfile)) {
    const [, instruction = '', rest = ''] = /^(COPY --from=build(?= \S+ \S+$)|\S+) (.*)$/.exec(line) ?? [];
    const handle = instructions[instruction];
    if (handle === undefined) throw new Error(`Dockerfile: this instruction needs a container engine: ${line}`);
    handle(rest);
  }
  return { config, copies };
}

function listFinalStageLines(dockerfile: string): readonly string[] {
  const lines = dockerfile
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line !== '' && !line.startsWith('#'));
  return lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')) + 1);
}

/** Replaces variables such as `${NAME}` and `${NAME:-default}`. */
function parseLabels(text: string, args: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const labels = [...text.matchAll(/([\w.-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
    name,
    value.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, arg: string, empty = '') => args[arg] || empty),
  ]);
  return Object.fromEntries(labels.filter(([, value]) => value !== ''));
}
