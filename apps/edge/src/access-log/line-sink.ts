import sonicBoom from 'sonic-boom';

/** Where lines about requests go. */
export interface LineSink {
  /** @param line with its line feed */
  write(line: string): void;
  /** Writes what has not been written yet. */
  flush(): void;
}

/** Lines are written together once there are so many characters of them… */
const BATCH_LENGTH = 32 * 1024;
/** …or when the oldest has waited for this long. */
const BATCH_MS = 200;
const STANDARD_OUTPUT = 1;

/**
 * Standard output, where one system call writes many lines. Synchronously, as other lines are written, so that no line
 * ends up within another. A process that is killed loses what it has yet to write: up to a fifth of a second.
 */
export function openStandardOutput(): LineSink {
  const output = new sonicBoom.SonicBoom({ fd: STANDARD_OUTPUT, sync: true });
  return batched((lines) => void output.write(lines));
}

/** Hands lines on in batches. */
export function batched(writeAll: (lines: string) => void): LineSink {
  let pending = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (pending === '') return;
    const lines = pending;
    pending = '';
    writeAll(lines);
  };
  return {
    flush,
    write: (line) => {
      pending += line;
      if (pending.length >= BATCH_LENGTH) flush();
      else timer ??= setTimeout(flush, BATCH_MS).unref();
    },
  };
}
