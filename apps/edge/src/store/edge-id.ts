import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { edgeAckSchema } from '@pets/contracts';
import { replaceFile } from '../routing/durable-file.js';
import { readIfPresent } from './table-files.js';

/** Returns the lasting id of the edge with this folder; makes both if need be. */
export async function openEdgeId(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'edge-id');
  const known = edgeAckSchema.shape.edgeId.safeParse((await readIfPresent(path))?.trim());
  if (known.success) return known.data;
  const edgeId = randomUUID();
  await replaceFile(path, `${edgeId}\n`);
  return edgeId;
}
