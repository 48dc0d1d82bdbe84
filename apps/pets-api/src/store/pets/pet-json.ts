/**
 * An animal's JSON in SQL, as the API answers it. `as_json` holds the fields that there were when it was made: one that
 * comes later is put behind them here, as another `as_json` would write the whole table anew under its lock.
 */
export const petJson = 'as_json';
