import { seedDomains, type SeededDomain, type Stack } from '@pets/lab';
import { waitUntil } from '@pets/testing/processes';
import type pg from 'pg';

const LIMIT_MS = 300_000;

/** Clicks over HTTP; whether a domain is live is read from the database, so that looking costs the API nothing. */
export class Clicks {
  constructor(
    private readonly db: pg.Client,
    private readonly stack: Pick<Stack, 'issuing' | 'apiKey'>,
    private readonly apiUrl: string,
  ) {}

  async goLive(domains: readonly SeededDomain[]): Promise<void> {
    for (const domain of domains) this.stack.issuing.pointHere(domain);
    await Promise.all(domains.map((domain) => this.click(domain)));
    const ids = domains.map(({ id }) => id);
    const isLive = async () => {
      const text = `select count(*) from domains where state = 'live' and id = any($1::uuid[])`;
      const { rows } = await this.db.query<{ count: string }>(text, [ids]);
      return Number(rows[0]?.count) === ids.length;
    };
    await waitUntil(isLive, { timeoutMs: LIMIT_MS, intervalMs: 2, message: `${ids.length} domains to be live` });
  }

  private async click({ projectId, id }: SeededDomain): Promise<void> {
    const response = await fetch(`${this.apiUrl}/v1/projects/${projectId}/domains/${id}/verify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.stack.apiKey}` },
      signal: AbortSignal.timeout(30_000),
    });
    if (response.status !== 202) throw new Error(`a click was answered ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  }
}

/** Domains that nothing looks at until somebody clicks. */
export async function seedUnchecked(
  db: pg.Client,
  { organizationId }: Pick<Stack, 'organizationId'>,
  count: number,
): Promise<SeededDomain[]> {
  const named = Array.from({ length: count }, (_, index) => ({
    name: `c${index}.certificates.example.com`,
    token: `c${index}`,
  }));
  return [...(await seedDomains(db, organizationId, named, new Date(Date.now() + 86_400_000)))];
}

/** Waits until orders can be placed, and answered by an edge. */
export async function untilAccountIsReady(db: pg.Client): Promise<void> {
  const isReady = async () => {
    const { rows } = await db.query('select from acme_accounts, edges');
    return rows.length > 0;
  };
  await waitUntil(isReady, { timeoutMs: 60_000, message: 'the account at the CA, and the edge' });
}
