import { z } from 'zod';

/** Name of a folder with prepared data. */
export const setName = z.string().regex(/^[a-z0-9-]+$/);
