import type { Logger } from '@pets/platform';
import sonicBoom from 'sonic-boom';
import type { EdgeConfig } from '../platform/config.js';

/** Receives the lines about requests. */
export interface LineSink {
  /** @param line with its line feed */
  write(line: string): void;
  /** Writes all pending lines. */
  flush(): void;
}

/**
 * A batch has at most so many bytes. All processes of the edge write to one pipe, and only a write of up to `PIPE_BUF` (4096
 * bytes on Linux, pipe(7)) is never mixed with another one.
 */
const BATCH_BYTES = 4_096;
/** A batch is written when the next line would make it longer, or when its oldest line has waited this long. */
const BATCH_MS = 200;
const STANDARD_OUTPUT = 1;

/** @returns undefined when there is no access log */
export function openAccessLog(config: Pick<EdgeConfig, 'EDGE_ACCESS_LOG'>, log: Logger): LineSink | undefined {
  return config.EDGE_ACCESS_LOG && log.isLevelEnabled('info') ? openStandardOutput() : undefined;
}

/**
 * Writes to standard output, several lines with one system call. Writes synchronously, as the logger does, so that lines are
 * not mixed. A process that is killed loses the lines of up to 200 ms.
 */
function openStandardOutput(): LineSink {
  const output = new sonicBoom.SonicBoom({ fd: STANDARD_OUTPUT, sync: true });
  return batched((lines) => void output.write(lines));
}

/** Collects lines in batches. Their bytes are counted once for all: that of each line would be the same text once more. */
export function batched(writeAll: (lines: string) => void): LineSink {
  let pending = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (pending === '') return;
    const lines = pending;
    pending = '';
    if (Buffer.byteLength(lines) <= BATCH_BYTES) writeAll(lines);
    else for (const line of lines.split(/(?<=\n)/)) writeAll(line); // visitors have sent other characters than ASCII
  };
  return {
    flush,
    write: (line) => {
      if (pending.length + line.length > BATCH_BYTES) flush();
      pending += line;
      timer ??= setTimeout(flush, BATCH_MS).unref();
    },
  };
}
