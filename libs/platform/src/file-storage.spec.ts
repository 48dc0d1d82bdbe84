import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { parseBucketUrl } from './file-storage-bucket.js';
import { readWhole } from './file-storage.js';
import { openFileStorage } from './open-file-storage.js';

describe('parseBucketUrl', () => {
  it.each([
    ['s3://files', { bucket: 'files', prefix: '', client: { forcePathStyle: false } }],
    ['s3://files/', { bucket: 'files', prefix: '', client: { forcePathStyle: false } }],
    [
      's3://my.files/a/b/?region=eu-central-1',
      { bucket: 'my.files', prefix: 'a/b/', client: { forcePathStyle: false, region: 'eu-central-1' } },
    ],
    [
      's3://files?endpoint=http://127.0.0.1:9000&forcePathStyle=true',
      {
        bucket: 'files',
        prefix: '',
        client: { forcePathStyle: true, endpoint: 'http://127.0.0.1:9000', region: 'us-east-1' },
      },
    ],
  ])('%s', (url, address) => expect(parseBucketUrl(url)).toEqual(address));

  it.each([
    ['s3:///prefix', 'names a bucket'],
    ['s3://key:secret@files', 'credentials come from the environment'],
    ['s3://files?endpoint=ftp://x', 'STORAGE_URL'],
    ['s3://files?forcePathStyle=maybe', 'STORAGE_URL'],
    ['s3://files?secret=x', 'secret'],
  ])('%s is refused', (url, reason) => expect(() => parseBucketUrl(url)).toThrow(reason));
});

describe('openFileStorage', () => {
  it.each(['http://files', 'files', 'S3//x'])('refuses %s', async (url) => {
    await expect(openFileStorage(url)).rejects.toThrow('must be a file:// or s3:// URL');
  });
});

describe('readWhole', () => {
  const stream = () => Readable.from([Buffer.from('abc'), Buffer.from('de')]);

  it('returns all bytes', async () => expect((await readWhole(stream(), 5)).toString()).toBe('abcde'));

  it.each([0, 4, 6])('refuses a stream of 5 bytes when %d are expected', async (bytes) => {
    await expect(readWhole(stream(), bytes)).rejects.toThrow(`does not have the expected ${bytes} bytes`);
  });
});
