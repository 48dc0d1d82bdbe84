import { QueryClient } from '@tanstack/react-query';
import { isPassing } from './api-failure.js';

const MAX_RETRIES = 2;

/** Pages are brought up to date by events; what has been read stays good for a while when one goes back and forth. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 15_000, retry: (failures, error) => failures < MAX_RETRIES && isPassing(error) },
    mutations: { retry: false },
  },
});
