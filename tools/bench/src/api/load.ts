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

/** How long a load runs, or how many requests it has. */
export type Extent = { readonly seconds: number } | { readonly requests: number };

export interface Answered {
  readonly requests: number;
  readonly perSecond: number;
}

/**
 * Puts a steady load on a server, without pauses.
 * @throws Error when anything but a 2xx came: a refusal is fast and would count as speed
 */
export async function load({ urls, key, body }: Request, extent: Extent = { seconds: SECONDS }): Promise<Answered> {
  const [url] = urls;
  let connections = 0;
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    ...('seconds' in extent ? { duration: extent.seconds } : { amount: extent.requests }),
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
  return { requests: result.requests.total, perSecond: result.requests.average };
}
