import type { Command } from '../command.js';
import type { GivenSettings } from '../settings/settings.js';

/** Makes of a command what the parser calls, once its arguments are read. */
export type Runner = <Arguments extends unknown[]>(
  command: Command<Arguments>,
) => (given: Arguments, options: GivenSettings) => Promise<void>;
