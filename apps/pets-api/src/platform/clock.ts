/** What time it is. Injected where a date decides what clients get, so that tests can stand on either side of it. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
