import { readdir, readFile } from 'node:fs/promises';

/** The process id of a program that a process has started, by what is in its command line (Linux's /proc). */
export async function findChild(parentPid: number, program: string): Promise<number> {
  for (const name of await readdir('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const [commandLine, status] = await Promise.all(['cmdline', 'status'].map((file) => readOrEmpty(pid, file)));
    if (commandLine?.includes(program) && status?.includes(`PPid:\t${parentPid}\n`)) return pid;
  }
  throw new Error(`process ${parentPid} has no child that runs ${program}`);
}

/** A process may end between being listed and being read. */
function readOrEmpty(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
}
