import { createHash, randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What a replaced file has to outlast once it is written: a crash of this process, or one of the machine as well. */
export type Outlasts = 'process' | 'machine';

/**
 * Replaces a file's content so that a crash leaves either the old content or the new one; a crash of the machine may
 * leave neither where only the process had to be outlasted, which costs no wait for the disk. Only the owner may read it.
 */
export async function replaceFile(path: string, content: string, outlasts: Outlasts = 'machine'): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(content);
      if (outlasts === 'machine') await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  if (outlasts === 'machine') await syncFolder(dirname(path));
}

/** Like `replaceFile`, with a first line that tells whether the rest is what was written: disks flip bits. */
export async function replaceCheckedFile(path: string, content: string, outlasts?: Outlasts): Promise<void> {
  await replaceFile(path, `${digestOf(content)}\n${content}`, outlasts);
}

/** What `replaceCheckedFile` was given, from the text of its file; undefined when it is not that any more. */
export function checkedContent(text: string): string | undefined {
  const end = text.indexOf('\n');
  const content = text.slice(end + 1);
  return text.slice(0, Math.max(end, 0)) === digestOf(content) ? content : undefined;
}

function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Makes renames and removals in a folder outlast a crash of the machine. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
