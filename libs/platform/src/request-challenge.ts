import { randomBytes } from 'node:crypto';
import { http } from './node-http.js';

const MAX_BODY_BYTES = 1_024;

/** Address of the edges to ask, and the facts that their answer depends on. */
export interface ChallengeRequest {
  readonly address: string;
  readonly port: number;
  /** The name in the request. */
  readonly host: string;
  /** Edges answer any token with `<token>.<thumbprint>`. */
  readonly thumbprint: string;
}

/**
 * Requests an HTTP-01 challenge with a new token at one address, as a CA does (RFC 8555 §8.3).
 * @throws Error without a complete answer, which has a code where the system gives one
 */
export async function requestChallenge(
  { address, port, host, thumbprint }: ChallengeRequest,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly isRight: boolean }> {
  const token = randomBytes(24).toString('base64url');
  const path = `/.well-known/acme-challenge/${token}`;
  return new Promise((resolve, reject) => {
    const outgoing = http.request(
      { host: address, port, path, headers: { host }, agent: false, signal },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          body += chunk;
          if (body.length > MAX_BODY_BYTES) outgoing.destroy(new Error('the answer is too long'));
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, isRight: body.trim() === `${token}.${thumbprint}` }),
        );
        response.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}
