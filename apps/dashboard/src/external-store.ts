import { useSyncExternalStore } from 'react';

/** State outside React that components subscribe to. */
export interface ExternalStore<Value> {
  readonly get: () => Value;
  readonly set: (next: Value) => void;
  readonly useValue: () => Value;
}

export function createExternalStore<Value>(initial: Value): ExternalStore<Value> {
  const listeners = new Set<() => void>();
  let value = initial;
  const get = () => value;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get,
    set: (next) => {
      if (next === value) return;
      value = next;
      for (const listener of listeners) listener();
    },
    useValue: () => useSyncExternalStore(subscribe, get),
  };
}
