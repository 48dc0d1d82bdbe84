interface Shared {
  readonly started: Promise<unknown>;
  hasEnded: boolean;
}

const sharedKey = Symbol.for('pets.shared-in-process');
/** Not in a variable of this module, which is loaded again for each test file. */
const shared = globalThis as { [sharedKey]?: Map<string, Shared> };

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
