interface Shared {
  readonly started: Promise<unknown>;
  hasEnded: boolean;
}

const sharedKey = Symbol.for('pets.shared-in-process');
/** Read by the runner of test files (tools/jest). */
const exitsAfterLastFile = Symbol.for('pets.exits-after-last-file');
/** Not in a variable of this module, which is loaded again for each test file. */
const shared = globalThis as { [sharedKey]?: Map<string, Shared>; [exitsAfterLastFile]?: boolean };

/**
 * Something that all test files of this process share: started when it is first wanted, and again when it has ended or could
 * not be started.
 * @param name of the thing: callers with the same name share it
 */
export function sharedInProcess<T extends { readonly exited: Promise<unknown> }>(
  name: string,
  start: () => Promise<T>,
): Promise<T> {
  const all = (shared[sharedKey] ??= new Map<string, Shared>());
  const running = all.get(name);
  if (running?.hasEnded === false) return running.started as Promise<T>; // of the same name
  const started = start();
  const entry = { started, hasEnded: false };
  all.set(name, entry);
  const end = () => (entry.hasEnded = true);
  started.then(({ exited }) => exited).then(end, end);
  return started;
}

/** A thing that was started, for the test file that asked for it. */
export interface Borrowed<T> {
  readonly value: T;
  /** Call it after the last test of the file. */
  readonly giveBack: () => Promise<void>;
}

/**
 * Something in this process that all test files of a worker process of Jest share. It would keep the process alive, so the
 * process exits as soon as Jest has no more files for it. In a process that runs its files alone it is each file's own.
 */
export async function borrow<T>(
  name: string,
  start: () => Promise<T>,
  stop: (value: T) => Promise<void>,
): Promise<Borrowed<T>> {
  if (process.send === undefined) {
    const value = await start();
    return { value, giveBack: () => stop(value) };
  }
  const { value } = await sharedInProcess(name, async () => {
    const value = await start();
    shared[exitsAfterLastFile] = true;
    return { value, exited: new Promise<never>(() => undefined) };
  });
  return { value, giveBack: () => Promise.resolve() };
}
