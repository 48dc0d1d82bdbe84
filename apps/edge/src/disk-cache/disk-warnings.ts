import type { Logger } from '@pets/platform';

const INTERVAL_MS = 60_000;

export type WarnOfDisk = (error: unknown, message: string) => void;

/** @returns logs a warning about a folder, at most once a minute: a disk that is full or broken fails often */
export function warnsOfDisk(log: Logger, folder: string): WarnOfDisk {
  let warnedAtMs = -Infinity;
  return (error, message) => {
    const now = performance.now();
    if (now - warnedAtMs < INTERVAL_MS) return;
    warnedAtMs = now;
    log.warn({ err: error, folder }, message);
  };
}
