import { readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 500;
const SHELL = /^(?:sh|bash|dash|zsh)$/;

/**
 * Calls back once when a process above this one has gone. npm starts scripts through a shell, which stays when npm is
 * killed outright; so the shell's own parent is watched as well (on Linux, where it can be seen).
 * @returns how to stop watching
 */
export function watchParents(onGone: () => void): () => void {
  const parent = process.ppid;
  const viaShell = readStat(parent);
  const grandparent = viaShell && SHELL.test(viaShell.name) ? viaShell.parent : undefined;
  const timer = setInterval(() => {
    const isGone = process.ppid !== parent || (grandparent !== undefined && readStat(parent)?.parent !== grandparent);
    if (!isGone) return;
    clearInterval(timer);
    onGone();
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function readStat(pid: number): { name: string; parent: number } | undefined {
  try {
    const match = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return match ? { name: match[1] ?? '', parent: Number(match[2]) } : undefined;
  } catch {
    return undefined; // gone, or a system without /proc
  }
}
