import { readFile, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { Disk } from 'flydrive';
import { S3Driver } from 'flydrive/drivers/s3';
import { z } from 'zod';
import { DependencyUnavailable } from './request-error.js';
import { causeOf, memberOf, sizeOf, type ByteSpan, type FileStorage } from './file-storage.js';

/** Smaller files are sent from memory, so that the client can retry; a stream can be sent only once. */
const RETRYABLE_BYTES = 8 * 1024 * 1024;

/** Each download to a slow visitor occupies one. */
const MAX_SOCKETS = 1_000;

const settingsSchema = z.strictObject({
  /** The URL of a server other than AWS. */
  endpoint: z.url({ protocol: /^https?$/ }).optional(),
  /** The default is `AWS_REGION`; with an endpoint `us-east-1`, which other servers usually ignore. */
  region: z.string().min(1).optional(),
  /** Whether the bucket is in the path instead of the host name. */
  forcePathStyle: z.stringbool().default(false),
});

export interface BucketAddress {
  readonly bucket: string;
  /** The prefix of every key; empty, or ending in a slash. */
  readonly prefix: string;
  readonly client: Pick<S3ClientConfig, 'endpoint' | 'region' | 'forcePathStyle'>;
}

/**
 * `s3://<bucket>/<prefix>?endpoint=…&region=…&forcePathStyle=true`, everything after the bucket optional.
 * @throws Error naming what is wrong
 */
export function parseBucketUrl(text: string): BucketAddress {
  const url = new URL(text);
  const parsed = settingsSchema.safeParse(Object.fromEntries(url.searchParams));
  if (!parsed.success) throw new Error(`STORAGE_URL: ${parsed.error.issues.map(({ message }) => message).join(', ')}`);
  if (url.hostname === '') throw new Error('STORAGE_URL: an s3:// URL names a bucket');
  if (url.username !== '') throw new Error('STORAGE_URL: credentials come from the environment, not from the URL');
  const { endpoint, region = endpoint === undefined ? undefined : 'us-east-1', forcePathStyle } = parsed.data;
  const prefix = url.pathname.replace(/^\/+|(?<!\/)\/+$/g, '');
  const client = {
    forcePathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
  };
  return { bucket: url.hostname, prefix: prefix === '' ? '' : `${prefix}/`, client };
}

/** Files in a bucket of S3 or a compatible server, with AWS credentials from the environment. */
export function openBucketStorage(url: string): FileStorage {
  const { bucket, prefix, client: settings } = parseBucketUrl(url);
  const client = new S3Client({
    ...settings,
    // Not every server other than AWS supports the checksums that newer clients add.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 2_000,
      requestTimeout: 4_000,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
      httpsAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
    },
  });
  // Access is a setting of the bucket; most buckets refuse ACLs of objects.
  const disk = new Disk(new S3Driver({ client, bucket, supportsACL: false, visibility: 'private' }));
  return {
    find: (key) => requireAnswer(sizeOf(disk, prefix + key, isMissing)),
    read: (key, span) => requireAnswer(read(client, bucket, prefix + key, span)),
    async write(key, content, signal) {
      signal?.throwIfAborted();
      // Not through the disk, which does not support signals.
      const command = new PutObjectCommand({ Bucket: bucket, Key: prefix + key, Body: Buffer.from(content) });
      await requireAnswer(client.send(command, signal === undefined ? {} : { abortSignal: signal }));
    },
    async copyFromFs(path, key) {
      const { size: contentLength } = await stat(path);
      const content = contentLength <= RETRYABLE_BYTES ? await readFile(path) : undefined;
      await requireAnswer(
        content === undefined
          ? disk.copyFromFs(path, prefix + key, { contentLength })
          : disk.put(prefix + key, content),
      );
    },
    async delete(key, signal) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: prefix + key }), { abortSignal: signal });
    },
    // An aborted upload leaves no object.
    deleteAbandoned: () => Promise.resolve(0),
  };
}

/** Not through the disk, which does not support ranges. */
async function read(client: S3Client, bucket: string, key: string, span: ByteSpan | undefined): Promise<Readable> {
  const range = span === undefined ? {} : { Range: `bytes=${span.first}-${span.last}` };
  const { Body: body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key, ...range }));
  if (!(body instanceof Readable)) throw new Error(`the storage answered ${key} without a body`);
  return body;
}

/** Rejects with `DependencyUnavailable` where the storage did not answer, or cannot answer now. */
async function requireAnswer<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const status = statusOf(error);
    throw status === undefined || status >= 500 ? new DependencyUnavailable('file storage', error) : error;
  }
}

function isMissing(error: unknown): boolean {
  return statusOf(error) === 404;
}

/** The disk wraps the client's error. @returns undefined where there was no answer */
function statusOf(error: unknown): number | undefined {
  const metadata = memberOf(error, '$metadata') ?? causeOf(error, '$metadata');
  const status = memberOf(metadata, 'httpStatusCode');
  return typeof status === 'number' ? status : undefined;
}
