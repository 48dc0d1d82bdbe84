import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../platform/error-code.js';
import { checkedContent, replaceCheckedFile } from './durable-file.js';

/**
 * The files of the store in the folder of the edge:
 *
 * - `routes.current` names the current table
 * - `routes-<n>.db` with `-wal` and `-shm` is a table, `routes-<n>.db.commits` its commit mark
 */

const pointerSchema = z.object({ generation: z.int().positive(), tableId: z.string() });

/** Pointer to the current table. */
export type TablePointer = Readonly<z.infer<typeof pointerSchema>>;

export function tablePath(folder: string, generation: number): string {
  return join(folder, `routes-${generation}.db`);
}

export function commitMarkPath(table: string): string {
  return `${table}.commits`;
}

/** @returns undefined when there is none, and 'damaged' when it is not what was written */
export async function readPointer(folder: string): Promise<TablePointer | 'damaged' | undefined> {
  const text = await readIfPresent(pointerPath(folder));
  if (text === undefined) return undefined;
  const content = checkedContent(text);
  const parsed = pointerSchema.safeParse(content === undefined ? undefined : JSON.parse(content));
  return parsed.success ? parsed.data : 'damaged';
}

/** Durable when it returns. */
export async function writePointer(folder: string, pointer: TablePointer): Promise<void> {
  await replaceCheckedFile(pointerPath(folder), JSON.stringify(pointer));
}

/** The highest generation of which there is a file; 0 without one. */
export async function newestGeneration(folder: string): Promise<number> {
  return Math.max(0, ...(await tableFiles(folder)).map(({ generation }) => generation));
}

/** Deletes what an interrupted run and an earlier table left. */
export async function deleteLeftovers(folder: string, currentGeneration: number): Promise<void> {
  const tables = await tableFiles(folder);
  const temporary = (await readdir(folder)).filter((name) => name.endsWith('.tmp'));
  const outdated = tables.filter(({ generation }) => generation !== currentGeneration).map(({ name }) => name);
  await Promise.all([...temporary, ...outdated].map((name) => rm(join(folder, name), { force: true })));
}

/** Processes that have the table open can go on reading it. */
export async function deleteTable(table: string): Promise<void> {
  const files = [table, `${table}-wal`, `${table}-shm`, `${table}-journal`, commitMarkPath(table)];
  await Promise.all(files.map((path) => rm(path, { force: true })));
}

export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

function pointerPath(folder: string): string {
  return join(folder, 'routes.current');
}

async function tableFiles(folder: string) {
  return (await readdir(folder)).flatMap((name) => {
    const generation = /^routes-(\d{1,12})\.db/.exec(name)?.[1];
    return generation === undefined ? [] : [{ name, generation: Number(generation) }];
  });
}
