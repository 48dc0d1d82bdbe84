import { displayName, type Domain } from '@pets/contracts';
import type { Command } from '../command.js';
import { CommandFailure } from '../outcome/outcome.js';
import { addDomain, waitForDomain } from './domain-commands.js';
import { titled } from '../terminal/layout.js';
import { presentRecords } from './present-domain.js';
import { readDomain } from './watch-domain.js';

/**
 * Adds a domain, unless the project has it, shows its records, and waits until its DNS can be switched without an
 * interruption. It may be repeated.
 */
export const prepareDomain: Command<[name: string, options: { timeout: number }]> = async (context, name, options) => {
  const { api, terminal } = context;
  try {
    await addDomain(context, name, {});
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.report.reason !== 'domain_exists') throw error;
  }
  const domain: Domain = await readDomain(api, { projectId: await context.findProjectId(), domain: name });
  // Progress lines have a prefix, so that the width of the terminal does not apply to them.
  const style = { onStdout: terminal.onStderr, width: null };
  const records = titled(`records of ${displayName(domain)}`, presentRecords(domain.records, style));
  for (const line of records.split('\n')) terminal.progress(line);
  return waitForDomain(context, name, { timeout: options.timeout, for: 'ready' });
};
