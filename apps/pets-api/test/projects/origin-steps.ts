import { randomUUID } from 'node:crypto';
import type { OriginTest } from '@pets/contracts';
import { openSession } from '../access/session-client.js';
import { EdgeFeedRepository } from '../../src/edge/edge-feed.repository.js';
import type { TestApi } from '../harness.js';

interface Named {
  readonly id: string;
}

/** The steps that tests of origins are made of. */
export function originSteps(api: TestApi) {
  const feed = new EdgeFeedRepository(api.db);
  /** Number of the newest test of an origin. */
  const testOf = async ({ id }: Named) =>
    (await api.db.selectFrom('origins').select('test').where('id', '=', id).executeTakeFirstOrThrow()).test;

  /** Has an edge report what it found, and waits until its report has arrived. */
  async function reportTests(...originTests: readonly OriginTest[]): Promise<void> {
    const edgeId = `edge-${randomUUID()}`;
    const { epoch, version } = await feed.head();
    const edge = await openSession(api.url, { edgeId, epoch, after: version });
    edge.ack(version, { originTests: [...originTests] });
    await edge.next('contact');
    edge.close();
    // Other test files share this API: their removals would wait for an edge that never applies them.
    await feed.forget(edgeId);
  }

  return {
    testOf,
    reportTests,
    /** Reports a result of the newest test of an origin. @param status null without an answer */
    report: async (origin: Named, status: number | null): Promise<void> => {
      const failure = status === null ? ({ code: 'connection', detail: 'ECONNREFUSED' } as const) : null;
      const found = { status, durationMs: 12, failure, address: '203.0.113.7' };
      await reportTests({ origin: origin.id, test: await testOf(origin), ...found });
    },
  };
}
