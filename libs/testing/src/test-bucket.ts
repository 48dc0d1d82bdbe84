import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';

/** A bucket of an S3 server. */
export interface TestBucket {
  /** For `STORAGE_URL`. */
  readonly url: string;
  /** For the environment, where the client reads them. */
  readonly credentials: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** That s3rver accepts. */
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
