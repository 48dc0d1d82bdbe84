import { request } from 'node:http';
import { randomBytes } from 'node:crypto';
import { errorCodeOf, failureText } from '@pets/domains';

const PROBE_LIMIT_MS = 5_000;
const MAX_BODY_BYTES = 1_024;

/**
 * Asks an address for a challenge of a host that only our edges know, with a value that only they can have.
 * @returns what is wrong; null after the right answer
 */
export async function probeAddress(
  address: string,
  { host, nonce, port }: { readonly host: string; readonly nonce: string; readonly port: number },
): Promise<string | null> {
  const token = randomBytes(24).toString('base64url');
  const path = `/.well-known/acme-challenge/${token}`;
  try {
    const { status, body } = await get({ host: address, port, path, headers: { host } });
    if (status !== 200) return `answers with status ${status}`;
    return body.trim() === `${token}.${nonce}` ? null : 'answers with another text';
  } catch (error) {
    return `does not answer: ${errorCodeOf(error) ?? failureText(error)}`;
  }
}

interface Request {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: { readonly host: string };
}

function get(options: Request): Promise<{ status: number; body: string }> {
  const signal = AbortSignal.timeout(PROBE_LIMIT_MS);
  return new Promise((resolve, reject) => {
    const fail = (error: Error) =>
      reject(signal.aborted ? new Error(`nothing came within ${PROBE_LIMIT_MS} ms`) : error);
    const outgoing = request({ ...options, agent: false, signal }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
        if (body.length > MAX_BODY_BYTES) outgoing.destroy(new Error('the answer is too long'));
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', fail);
    });
    outgoing.on('error', fail);
    outgoing.end();
  });
}
