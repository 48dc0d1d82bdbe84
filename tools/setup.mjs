/**
 * Brings a clone to where it can run, and does nothing where there is nothing to do. Runs before `npm start`, `npm test`
 * and the others, on any Node from 20.19 on and without dependencies: it is what installs them.
 *
 *   start    dependencies of what `npm start` runs, then a build of what of it is stale
 *   dev      all dependencies: `npm run dev` runs the sources
 *   all      all dependencies, then a build of everything that is stale
 *   test     all dependencies, then the programs that some suites need (`npm test` builds on its own)
 *   interop  all dependencies, then the programs of Debian for `npm test` and those that only `npm run interop` needs
 *   bench    what `all` does, then the programs that benchmarks and fault injection need
 */

// An older Node reads this file, and must not read the others: in syntax that all of them know.
const OLDEST = [20, 19];
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  process.stderr.write(
    `setup: Node ${OLDEST.join('.')} or newer is needed, and this is ${process.version}: install a newer one\n`,
  );
  process.exit(1);
}
import('./setup/main.mjs');
