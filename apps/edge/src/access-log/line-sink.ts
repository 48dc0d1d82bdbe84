import sonicBoom from 'sonic-boom';

/** Receives the lines about requests. */
export interface LineSink {
  /** @param line with its line feed */
  write(line: string): void;
  /** Writes all pending lines. */
  flush(): void;
}

/** A batch is written at this length, … */
const BATCH_LENGTH = 32 * 1024;
/** … or when its oldest line has waited this long. */
const BATCH_MS = 200;
const STANDARD_OUTPUT = 1;

/**
 * Writes to standard output, many lines with one system call. Writes synchronously, as the logger does, so that lines are not
 * mixed. A process that is killed loses the lines of up to 200 ms.
 */
export function openStandardOutput(): LineSink {
  const output = new sonicBoom.SonicBoom({ fd: STANDARD_OUTPUT, sync: true });
  return batched((lines) => void output.write(lines));
}

/** Collects lines in batches. */
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
