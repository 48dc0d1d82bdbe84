import { startStack, type CaObserver, type Stack, type StackProcess } from '@pets/lab';
import type pg from 'pg';

/** Everything that issues and serves certificates, with processes that come back and a CA that can be lost. */
export interface CertificateChaosFixture {
  readonly stack: Stack;
  readonly observer: CaObserver;
  readonly edge: StackProcess;
  /** A connection to the database. */
  readonly db: pg.Client;
  close(): Promise<void>;
}

export async function startCertificateChaosFixture(): Promise<CertificateChaosFixture> {
  const stack = await startStack({
    ca: 'pebble',
    proxies: ['ca'],
    processes: ['api', 'worker'],
    edges: 1,
    isKept: true,
  });
  const { observer } = stack.issuing;
  const [edge] = stack.edges;
  if (observer === null || edge === undefined) throw new Error('a part of the stack was not started');
  const db = await stack.postgres.connect();
  return {
    ...{ stack, observer, db, edge: edge.process },
    close: async () => {
      await db.end();
      await stack.close();
    },
  };
}
