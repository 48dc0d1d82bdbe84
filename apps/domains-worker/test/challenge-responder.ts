import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChallengeResponder {
  readonly port: number;
  /** Host headers of the received requests. */
  readonly hosts: string[];
  /** The key authorization for a token; edges answer `<token>.<thumbprint>`. */
  answer: (token: string) => string;
  stop(): void;
}

export async function startChallengeResponder(): Promise<ChallengeResponder> {
  const server = createServer((request, response) => {
    responder.hosts.push(request.headers.host ?? '');
    response.end(responder.answer(request.url?.split('/').at(-1) ?? ''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const responder: ChallengeResponder = {
    port: (server.address() as AddressInfo).port,
    hosts: [],
    answer: () => 'no answer is configured',
    stop: () => server.close(),
  };
  return responder;
}
