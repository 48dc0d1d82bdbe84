import { PackingError, packingLimits, packSite, withoutCommonFolder, type SiteFile } from './pack-site.js';
import { unzip } from './unzip.js';

/** Turns what somebody has chosen or dropped into the archive that the API takes. */

/** A chosen folder. @throws PackingError */
export function packFolder(files: readonly File[]): Promise<Blob> {
  return packSite(
    withoutCommonFolder(files.map((content) => ({ path: content.webkitRelativePath || content.name, content }))),
  );
}

/** A chosen archive: a gzipped tar as it is, a zip packed again. @throws PackingError */
export async function packArchive(file: File): Promise<Blob> {
  return isZip(file) ? packSite(withoutCommonFolder(await unzip(file))) : file;
}

/**
 * Packs dropped items: one archive, a folder, or files and folders.
 * @param items of the event, read before it ends
 * @throws PackingError
 */
export async function packDropped(items: DataTransferItemList): Promise<Blob> {
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && isFile(only)) {
    const file = await fileOf(only);
    if (isZip(file) || isTar(file)) return packArchive(file);
  }
  const files: SiteFile[] = [];
  for (const entry of entries) await collectFiles(entry, '', files);
  return packSite(entries.length === 1 ? withoutCommonFolder(files) : files);
}

function isZip({ name, type }: File): boolean {
  return name.toLowerCase().endsWith('.zip') || type === 'application/zip';
}

function isTar({ name }: File): boolean {
  return /\.(?:tgz|tar\.gz)$/i.test(name);
}

async function collectFiles(entry: FileSystemEntry, folder: string, files: SiteFile[]): Promise<void> {
  const path = folder + entry.name;
  if (isFile(entry)) files.push({ path, content: await fileOf(entry) });
  else if (isFolder(entry)) for (const child of await childrenOf(entry)) await collectFiles(child, `${path}/`, files);
  if (files.length > packingLimits.files)
    throw new PackingError(`It has more than ${packingLimits.files} files. Choose the folder that your build wrote.`);
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** A browser returns a hundred at a time, and none at the end. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return children;
    children.push(...some);
  }
}
