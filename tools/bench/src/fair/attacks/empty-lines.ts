/** Five uploads at a time of a CSV file of empty lines, as large as an import may be. */
import type { Attack } from '../attack.js';

const UPLOADS = 5;
const BYTES = 32 * 1_048_576 - 5;

export const emptyLines: Attack = {
  name: 'empty-lines',
  victim: 'request',
  prepare: async ({ apiUrl, createTenant }) => {
    const { apiKey } = createTenant('free');
    const headers = { authorization: `Bearer ${apiKey}` };
    const made = await fetch(`${apiUrl}/v1/projects`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Lines', slug: `lines-${Date.now().toString(36)}` }),
    });
    const { id } = (await made.json()) as { readonly id: string }; // our own API
    const body = Buffer.concat([Buffer.from('name\n'), Buffer.alloc(BYTES, '\n')]);
    const upload = async (signal: AbortSignal) => {
      while (!signal.aborted) {
        // A removal needs no deployment. The file is refused while it is still sent, which may break the connection.
        const url = `${apiUrl}/v1/projects/${id}/domain-imports?action=remove`;
        const request = { method: 'POST', headers: { ...headers, 'content-type': 'text/csv' }, body, signal };
        await fetch(url, request).then(
          (response) => response.arrayBuffer(),
          () => undefined,
        );
      }
    };
    return { run: async (signal) => void (await Promise.all(Array.from({ length: UPLOADS }, () => upload(signal)))) };
  },
};
