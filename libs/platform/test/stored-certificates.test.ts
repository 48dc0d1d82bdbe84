import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { certificateObjectKey, openFileStorage, readStoredCertificate, type FileStorage } from '../src/index.js';

let folder: string;
let storage: FileStorage;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stored-certificates-'));
  storage = await openFileStorage(pathToFileURL(folder).href);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('a read that is aborted ends before the storage answers, and closes what comes late', async () => {
  const [id, abort] = [randomUUID(), new AbortController()];
  await storage.write(certificateObjectKey(id), '{}');
  const opened = Promise.withResolvers<Readable>();
  const late: FileStorage = {
    ...storage,
    read: async (...args) => {
      setImmediate(() => abort.abort(new Error('nobody waits')));
      await once(abort.signal, 'abort');
      const stream = await storage.read(...args);
      opened.resolve(stream);
      return stream;
    },
  };
  await expect(readStoredCertificate(late, id, abort.signal)).rejects.toThrow('nobody waits');
  const stream = await opened.promise;
  if (!stream.closed) await once(stream, 'close');
  expect(stream.destroyed).toBe(true);
});
