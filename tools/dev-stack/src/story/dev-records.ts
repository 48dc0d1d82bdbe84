import type { DevFile } from '../supervisor/dev-file.js';

const REQUEST_LIMIT_MS = 5_000;

type DnsRecord = { readonly name: string; readonly type: string; readonly data: string };

/** Sets and removes records through the development DNS server's control, as a publisher would at a registrar. */
export type DevRecords = {
  put(record: DnsRecord): Promise<void>;
  remove(name: string): Promise<void>;
};

/** @throws Error when the stack runs on resolvers of its own */
export function openDevRecords({ dnsControlUrl }: DevFile): DevRecords {
  if (dnsControlUrl === null)
    throw new Error('the stack has no development DNS server: records cannot be set from here');
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(dnsControlUrl + path, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
    if (!response.ok)
      throw new Error(`${method} ${path} at the DNS control: ${response.status} ${await response.text()}`);
    await response.body?.cancel();
  };
  return {
    put: (record) => call('PUT', '/records', { ttl: 60, ...record }),
    remove: (name) => call('DELETE', `/records?name=${encodeURIComponent(name)}`),
  };
}
