import { readProjectEvents, type ProjectEvent } from '@pets/client';
import { waitUntil } from '@pets/testing';
import pg from 'pg';
import type { ReplicasFixture } from './replicas-fixture.js';

type Line = Extract<ProjectEvent, { type: 'history' }>;

/** The events that a client receives of a project, from the first one on, until it stops. */
export interface RecordedEvents {
  /** `number type domain`, in the order they came. */
  readonly lines: readonly string[];
  /** How often the stream was opened. */
  readonly opened: number;
  until(count: number): Promise<void>;
  stop(): Promise<void>;
}

const RECEIVED_LIMIT_MS = 20_000;

export function recordEvents(
  fixture: Pick<ReplicasFixture, 'apiKey' | 'projectId'>,
  baseUrl: string,
  apiKey: string = fixture.apiKey,
): RecordedEvents {
  const recorded = { lines: [] as string[], opened: 0 };
  const abort = new AbortController();
  const { projectId } = fixture;
  const listen = async () => {
    const { signal } = abort;
    for await (const event of readProjectEvents({ baseUrl, apiKey, projectId, lastEventId: '0', signal })) {
      if (event.type === 'ready') recorded.opened++;
      if (event.type === 'history') recorded.lines.push(lineOf(event));
    }
  };
  const listening = listen();
  return Object.assign(recorded, {
    until: async (count: number) => {
      const message = `${count} lines of history`;
      await waitUntil(() => recorded.lines.length >= count, { timeoutMs: RECEIVED_LIMIT_MS, message });
    },
    stop: async () => {
      abort.abort();
      await listening;
    },
  });
}

/** All events of a project, as a stream that loses nothing sends them. */
export async function writtenEvents({ databaseUrl, projectId }: ReplicasFixture): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, query_timeout: 10_000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ line: string }>(
      `select number || ' ' || type || ' ' || domain_id as line from project_events where project_id = $1 order by number`,
      [projectId],
    );
    return rows.map(({ line }) => line);
  } finally {
    await client.end();
  }
}

function lineOf({ entry }: Line): string {
  return `${entry.number} ${entry.type} ${entry.domainId}`;
}
