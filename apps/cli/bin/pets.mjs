#!/usr/bin/env node
/** The `pets` command. Says what it needs before anything is loaded that an older Node cannot read. */
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(`pets needs Node 24 or newer; this is ${process.version}.\n`);
  process.exit(2);
}
await import('../dist/main.js');
