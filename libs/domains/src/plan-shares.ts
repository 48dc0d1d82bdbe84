import type { Plan } from '@pets/contracts';

/** Turns of an organization for each one of a free organization, where organizations wait for the same thing. */
export const planShares = { free: 1, pro: 2, enterprise: 4 } as const satisfies Record<Plan, number>;
