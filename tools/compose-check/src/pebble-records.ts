import type { DevRecords } from '@pets/dev-stack';

const REQUEST_LIMIT_MS = 5_000;

/** Sets and removes CNAME records at Pebble's DNS server, as a publisher would at a registrar. */
export function openPebbleRecords(controlUrl: string): DevRecords {
  const call = async (operation: string, body: object) => {
    const response = await fetch(`${controlUrl}/${operation}`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
    if (!response.ok) throw new Error(`${operation} at Pebble's DNS: ${response.status} ${await response.text()}`);
    await response.body?.cancel();
  };
  return {
    put: async ({ name, type, data }) => {
      if (type !== 'CNAME') throw new Error(`${type} records are not set here`);
      await call('set-cname', { host: `${name}.`, target: data });
    },
    remove: (name) => call('clear-cname', { host: `${name}.` }),
  };
}
