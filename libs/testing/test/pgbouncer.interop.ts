import { describe, expect, it } from '@jest/globals';
import { isInstalled } from '../src/processes/service-process.js';
import pg from 'pg';
import { startPgBouncer } from '../src/postgres/pgbouncer.js';
import { describeWhen } from '../src/skipped-suites.js';
import { startTestPostgres } from '../src/postgres/test-postgres.js';

describeWhen(describe, 'test PgBouncer', isInstalled('pgbouncer') ? null : 'pgbouncer is not installed', () => {
  it('shares server connections between clients, and refuses startup parameters', async () => {
    const postgres = await startTestPostgres();
    const pgbouncer = await startPgBouncer(postgres.url);
    try {
      const url = pgbouncer?.url ?? '';
      const refused = new pg.Client({ connectionString: url, statement_timeout: 1_000 });
      await expect(refused.connect()).rejects.toThrow('unsupported startup parameter: statement_timeout');
      const clients = Array.from({ length: 20 }, () => new pg.Client({ connectionString: url }));
      await Promise.all(clients.map((client) => client.connect()));
      const answers = clients.map((client) => client.query<{ pid: number }>('select pg_backend_pid() as pid'));
      const pids = (await Promise.all(answers)).map(({ rows }) => rows[0]?.pid);
      await Promise.all(clients.map((client) => client.end()));
      expect(new Set(pids).size).toBeLessThan(clients.length);
    } finally {
      await pgbouncer?.stop();
      await postgres.stop();
    }
  });
});
