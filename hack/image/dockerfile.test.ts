import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { finalStage } from './dockerfile.ts';

const DOCKERFILE = readFileSync('Dockerfile', 'utf8');

test('our image runs the bundle, not as root', () => {
  expect(finalStage(DOCKERFILE)).toEqual({
    config: {
      Env: ['NODE_ENV=production', 'TZ=UTC'],
      User: '65532:65532',
      Entrypoint: ['/nodejs/bin/node', '--disable-sigusr1', '/manager.mjs'],
    },
    copies: [{ from: '/src/dist/manager.mjs', to: '/manager.mjs' }],
  });
});

test('our image is built with the Node that package.json pins', () => {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(/^ARG NODE_IMAGE=node:([\d.]+)-/m.exec(DOCKERFILE)?.[1]).toBe(devDependencies.node);
});

test('only the last stage counts', () => {
  const text = 'FROM a AS b\nRUN make\nENV X=1\n\n# comment\nFROM scratch\nENV A=1 \\\n  B=2\n';
  expect(finalStage(text)).toEqual({ config: { Env: ['A=1', 'B=2'], Entrypoint: [] }, copies: [] });
});

test.each([
  ['RUN make', 'without an engine this cannot be done: RUN make'],
  ['COPY . .', 'only "COPY --from=build FILE FILE" is understood: COPY . .'],
  ['COPY --from=build a b c', 'only "COPY --from=build FILE FILE" is understood'],
  ['ENTRYPOINT [1]', 'a list of strings is needed: ENTRYPOINT [1]'],
])('refuses %s', (line, want) => {
  expect(() => finalStage(`FROM scratch\n${line}\n`)).toThrow(want);
});
