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

/** Where jest-circus keeps what belongs to one test file. */
const keptGlobally = ['EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL'].map((name) => Symbol.for(name));

/** Of the form that Jest wants of a `testRunner`. */
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
