import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';

export interface Visit {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answer that visitors get at a URL; rejects when the edge knows no such host. @param edgeUrl of the TLS port */
export function visitAt(edgeUrl: string, url: string, headers: Readonly<Record<string, string>> = {}): Promise<Visit> {
  const { port } = new URL(edgeUrl);
  const { hostname, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, servername: hostname, path: pathname + search };
    request(
      { ...options, headers: { host: hostname, ...headers }, rejectUnauthorized: false, agent: false },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => (body += text));
        const { statusCode: status, headers: received } = response;
        response.on('end', () => resolve({ status, headers: received, body }));
        response.on('error', reject);
      },
    )
      .on('error', reject)
      .end();
  });
}
