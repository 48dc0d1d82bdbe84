import { ModuleMocker } from 'jest-mock';

/** The test environment that is none: tests run in the process itself, where Node’s loader puts them. */
export default class ProcessEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  fakeTimersModern = null;

  getVmContext() {
    return null;
  }

  async setup() {}

  async teardown() {}
}
