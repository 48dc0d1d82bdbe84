import { z } from 'zod';

/** An instant as we write it: RFC 3339 in UTC. */
export const instantSchema = z.iso.datetime();
