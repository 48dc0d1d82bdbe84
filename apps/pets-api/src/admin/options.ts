import { plans, type Plan } from '@pets/contracts';
import { z } from 'zod';
import { AdminError, type AdminContext } from './command.js';

/** Readers of options. Each throws an `AdminError` that names the option. */

export function required(option: string, value: string | undefined): string {
  if (!value) throw new AdminError(`--${option} is missing`);
  return value;
}

export function idOf(option: string, value: string | undefined): string {
  const id = required(option, value);
  if (!z.uuid().safeParse(id).success) throw new AdminError(`--${option} is not an id: ${id}`);
  return id;
}

export function planOf(value: string | undefined): Plan {
  const plan = plans.find((known) => known === required('plan', value));
  if (plan === undefined) throw new AdminError(`--plan must be one of ${plans.join(', ')}`);
  return plan;
}

/** @throws AdminError when the setting is missing */
export function setting<Name extends keyof AdminContext['config']>(
  config: AdminContext['config'],
  name: Name,
): NonNullable<AdminContext['config'][Name]> {
  const value = config[name];
  if (value === undefined) throw new AdminError(`${name}: is required`);
  return value;
}
