/**
 * Runs a test file with Jest's own parts but for one: Node's loader reads it, as it reads the programs, and not Jest's
 * loader, whose context of its own reads the two thousand files of Nest, Kysely and rxjs again for each test file.
 */
import { createRequire, setSourceMapsSupport } from 'node:module';
import { addressInNewLoad, readSources } from './sources.mjs';

const require = createRequire(import.meta.url);
const { default: runInJest } = require('jest-circus/runner');

readSources(new URL('globals.mjs', import.meta.url).href);
// For the lines of what failed, which are ours: the maps of what npm brought would be read for nothing.
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });

/** Names under which jest-circus keeps the state of one test file. */
const keptGlobally = ['EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL'].map((name) => Symbol.for(name));

/** Set by what keeps this process alive on purpose, until Jest has no more files for it. */
const exitsAfterLastFile = Symbol.for('pets.exits-after-last-file');
/** Node's own: during a test file Jest has one in its place that takes an exit for a fault of the test. */
const exit = process.exit.bind(process);
// So Jest lets go of a worker process; it kills one that is still there half a second later.
process.on('removeListener', (event) => {
  if (event === 'message' && globalThis[exitsAfterLastFile]) exit();
});

/** Runs a test file, as Jest expects of a `testRunner`. */
export default function runTestFile(globalConfig, config, environment, runtime, testPath, sendMessageToJest) {
  // Jest's own, which reads the maps of files alone; Node knows those of what it has loaded.
  delete Error.prepareStackTrace;
  for (const symbol of keptGlobally) delete globalThis[symbol];
  const ofNode = {
    // Loaded again for each test file, since it keeps the tests of one.
    requireInternalModule: (path) => {
      delete require.cache[path];
      return require(path);
    },
    setGlobalsForRuntime: (globals) => (globalThis[Symbol.for('pets.jest-globals')] = globals),
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (path) => import(addressInNewLoad(path)),
  };
  const ours = Object.assign(Object.create(runtime), ofNode);
  return runInJest(globalConfig, config, environment, ours, testPath, sendMessageToJest);
}
