import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

const SOURCES = join(import.meta.dirname, '../../../tools/jest/sources.mjs');

/** A program of `test/` in a process of its own, which speaks in lines. */
export interface SourceProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  /** Sends a line and returns the next one that the program writes. */
  ask(line: string): Promise<string>;
  nextLine(): Promise<string>;
  kill(): Promise<void>;
}

/** @param wrapper a command that runs the program, such as `unshare` */
export function runSource(name: string, args: readonly string[], wrapper: readonly string[] = []): SourceProcess {
  const bootstrap = `
    import { addressInNewLoad, readSources } from ${JSON.stringify(SOURCES)};
    readSources('node:test');
    await import(addressInNewLoad(${JSON.stringify(join(import.meta.dirname, name))}));`;
  const command = [...wrapper, process.execPath, '--input-type=module', '-e', bootstrap, ...args];
  const [program = '', ...rest] = command;
  const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async () => {
    const line = await lines.next();
    if (line.done) throw new Error(`${name} has ended`);
    return line.value;
  };
  return {
    child,
    nextLine,
    ask(line) {
      child.stdin.write(`${line}\n`);
      return nextLine();
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
