import type { DevRecords } from '@pets/dev-stack';

const REQUEST_LIMIT_MS = 5_000;

/** Operations of pebble-challtestsrv for each type of record. */
const operations = {
  A: { set: 'add-a', clear: 'clear-a', bodyOf: (data: string) => ({ addresses: [data] }) },
  CNAME: { set: 'set-cname', clear: 'clear-cname', bodyOf: (data: string) => ({ target: data }) },
  TXT: { set: 'set-txt', clear: 'clear-txt', bodyOf: (data: string) => ({ value: data }) },
} as const;

/** Sets and removes records at Pebble's DNS server, as a publisher would at a registrar. */
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
      if (!isSupported(type)) throw new Error(`${type} records are not set here`);
      const { set, bodyOf } = operations[type];
      await call(set, { host: absolute(name), ...bodyOf(data) });
    },
    remove: async (name) => {
      for (const { clear } of Object.values(operations)) await call(clear, { host: absolute(name) });
    },
  };
}

function isSupported(type: string): type is keyof typeof operations {
  return Object.hasOwn(operations, type);
}

/** Without the trailing dot the server takes an entry and never uses it. */
function absolute(name: string): string {
  return name.endsWith('.') ? name : `${name}.`;
}
