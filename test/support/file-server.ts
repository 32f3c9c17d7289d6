import { once } from 'node:events';
import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';

/** Contents by path; every other path is answered with 404. */
export type Answers = Readonly<Record<string, string | Buffer>>;

/** Serves files over HTTP until the test is over. Resolves to the server's URL, without a slash at the end. */
export async function serveFiles(answers: Answers): Promise<string> {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ''];
    response.statusCode = answer === undefined ? 404 : 200;
    response.end(answer);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the file server has no port');
  return `http://127.0.0.1:${address.port}`;
}
