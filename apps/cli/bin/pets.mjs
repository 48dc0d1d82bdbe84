#!/usr/bin/env node
/** The `pets` command. Says what it needs before anything is loaded that an older Node cannot read. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`pets needs Node 20.19 or newer; this is ${process.version}.\n`);
  process.exit(2);
}
await import('../dist/main.js');
