import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { edgeSessionAckSchema } from '@pets/contracts';
import { replaceFile } from './durable-file.js';
import { readIfPresent } from './table-files.js';

/** Returns the lasting id of the edge with this folder; makes one if need be. */
export async function openEdgeId(folder: string): Promise<string> {
  const path = join(folder, 'edge-id');
  const known = edgeSessionAckSchema.shape.edgeId.safeParse((await readIfPresent(path))?.trim());
  if (known.success) return known.data;
  const edgeId = randomUUID();
  await replaceFile(path, `${edgeId}\n`);
  return edgeId;
}
