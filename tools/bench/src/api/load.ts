import autocannon from 'autocannon';

export const CONNECTIONS = 16;
const SECONDS = 3;

export interface Request {
  /** Each connection keeps to one of these, in turn. */
  readonly urls: readonly [string, ...string[]];
  readonly key: string;
  /** Makes it a POST. */
  readonly body?: string;
}

/**
 * Requests a second over some seconds of steady load.
 * @throws Error when anything but a 2xx came: a refusal is fast and would count as speed
 */
export async function requestsPerSecond({ urls, key, body }: Request, seconds = SECONDS): Promise<number> {
  const [url] = urls;
  let connections = 0;
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: seconds,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { method: 'POST', body }),
    setupClient: (client) => {
      const { pathname, search } = new URL(urls[connections++ % urls.length] ?? url);
      client.setRequests([{ path: pathname + search }]);
    },
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} answers were no success, ${result.errors} requests failed`);
  }
  return result.requests.average;
}
