import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';

const ring = (id: string, fill: number) => ({ activeId: id, keys: new Map([[id, Buffer.alloc(32, fill)]]) });
const text = (id: string, fill: number) => `${id}:${Buffer.alloc(32, fill).toString('base64')}`;

/** The keys of messages in tests, parsed. */
export const testQueueKeys = { QUEUE_KEYS_JOBS: ring('j1', 1), QUEUE_KEYS_EVENTS: ring('e1', 2) };

/** The same keys as settings. */
export const testQueueSettings = { QUEUE_KEYS_JOBS: text('j1', 1), QUEUE_KEYS_EVENTS: text('e1', 2) };

/** The same keys, as `openMessaging` takes them. */
export const testAuthentication = {
  jobKeys: testQueueKeys.QUEUE_KEYS_JOBS,
  eventKeys: testQueueKeys.QUEUE_KEYS_EVENTS,
};

/** A bucket of an S3 server. */
export interface TestBucket {
  /** For `STORAGE_URL`. */
  readonly url: string;
  /** For the environment, where the client reads them. */
  readonly credentials: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Credentials that s3rver accepts. */
const credentials = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

/** An S3 server with one bucket, for one test file. */
export async function startTestBucket(): Promise<TestBucket> {
  const directory = await mkdtemp(join(tmpdir(), 'pets-test-bucket-'));
  const configureBuckets = [{ name: 'files' }];
  const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets });
  const { port } = await server.run();
  const stop = async () => {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { url: `s3://files/of/pets?endpoint=http://127.0.0.1:${port}&forcePathStyle=true`, credentials, stop };
}
