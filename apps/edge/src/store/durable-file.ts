import { createHash, randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Whether a written file must survive only a crash of this process, or also one of the machine. */
type Outlasts = 'process' | 'machine';

/**
 * Replaces the content of a file atomically: after a crash it has the old or the new content. With `process` this does not
 * hold for a crash of the machine, but the call does not wait for the disk. Only the owner may read the file.
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

/** Replaces a file as `replaceFile` does, with a checksum in the first line, because disks can corrupt data. */
export async function replaceCheckedFile(path: string, content: string): Promise<void> {
  await replaceFile(path, `${digestOf(content)}\n${content}`);
}

/** The content that `replaceCheckedFile` wrote, from the text of its file; undefined when the checksum does not match. */
export function checkedContent(text: string): string | undefined {
  const end = text.indexOf('\n');
  const content = text.slice(end + 1);
  return text.slice(0, Math.max(end, 0)) === digestOf(content) ? content : undefined;
}

function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Makes renames and removals in a folder survive a crash of the machine. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
