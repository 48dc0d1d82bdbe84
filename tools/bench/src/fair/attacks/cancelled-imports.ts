import type { Attack, FairFixture, RunningAttack } from '../attack.js';

/** As many as an organization may have under way. */
const CLIENTS = 5;
const LINES = 20_000;

/** A free tenant uploads files of names to remove, and cancels each import at once. */
export const cancelledImports: Attack = {
  name: 'cancelled-imports',
  victim: 'request',
  prepare: async (fixture: FairFixture): Promise<RunningAttack> => {
    const { apiUrl } = fixture;
    const { apiKey } = fixture.createTenant('free');
    const headers = { authorization: `Bearer ${apiKey}` };
    const created = await fetch(`${apiUrl}/v1/projects`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Imports', slug: `imports-${Date.now()}` }),
    });
    if (created.status !== 201) throw new Error(`a project was answered ${created.status}`);
    const { id: projectId } = (await created.json()) as { id: string };
    const url = `${apiUrl}/v1/projects/${projectId}/domain-imports`;
    const file = `"${'a'.repeat(200)}.example"\n`.repeat(LINES);
    const uploadAndCancel = async () => {
      const type = { 'content-type': 'application/x-ndjson' };
      const upload = await fetch(`${url}?action=remove`, {
        method: 'POST',
        headers: { ...headers, ...type },
        body: file,
      });
      const { id } = (await upload.json()) as { id?: string };
      if (upload.status !== 201) return;
      const cancelled = await fetch(`${url}/${id}/cancel`, { method: 'POST', headers });
      await cancelled.arrayBuffer();
    };
    return {
      run: async (signal) => {
        const repeat = async () => {
          while (!signal.aborted) await uploadAndCancel().catch(() => undefined); // a refused upload is closed
        };
        await Promise.all(Array.from({ length: CLIENTS }, repeat));
      },
    };
  },
};
